// Package syntax documents the grammar of PERFQL, the performance query
// language. It holds no code; package perfql parses and compiles queries.
//
// # Queries
//
// The condition is Figure 3 of Soft performance analysis, whose parentheses
// around METRIC is F_Expr may be left out. AND binds tighter than OR, NOT
// tighter than both.
//
//	query     = condition { clause } .
//	condition = conjunct { "OR" conjunct } .
//	conjunct  = statement { "AND" statement } .
//	statement = "NOT" statement
//	          | "(" condition ")"
//	          | metric "IS" phrase .
//
// Clauses stand in any order, each at most once.
//
//	clause    = "OVER" [ "experiments" ] name { "," name }
//	          | "WHERE" filter
//	          | "BY" ( "region" | "name" | "unit" | "summary" )
//	          | "WITH" "DEGREE" ( ">" | ">=" ) number
//	          | "ORDER" "BY" key { "," key }
//	          | "LIMIT" number .
//	key       = ( "degree" | "region" | "unit" | metric ) [ "ASC" | "DESC" ] .
//
// # Metrics
//
// A metric is a name or an expression of names, as everywhere in the program.
//
//	metric    = product { ( "+" | "-" ) product } .
//	product   = factor { ( "*" | "/" ) factor } .
//	factor    = "-" factor | "(" metric ")" | number | metricName .
//
// # Phrases
//
// A phrase is what is said of a metric. Where an AND or OR could join another
// term or another statement, it joins a statement if an IS follows before the
// next word of the grammar: in "a is high or low and b is low", the OR joins
// terms and the AND joins statements.
//
//	phrase    = both { "OR" both } .
//	both      = hedged { "AND" hedged } .
//	hedged    = modifier hedged | "(" phrase ")" | shape | term .
//	modifier  = "not" | "norm" | "very" | "extremely" | "plus" | "somewhat"
//	          | "more_or_less" | "more" "or" "less" | "intensify" | "slightly"
//	          | "above" | "below" .
//	shape     = shapeName "(" number { "," number } ")" [ "@" number ]
//	          | "points" "(" number number { "," number number } ")" .
//	shapeName = "linear" | "triangle" | "trapezoid" | "S" | "Z" | "Pi"
//	          | "gaussian" | "singleton" .
//
// # Filters
//
//	filter    = all { "OR" all } .
//	all       = test { "AND" test } .
//	test      = "NOT" test
//	          | "(" filter ")"
//	          | textField ( "=" | "!=" | "~" ) text
//	          | textField [ "NOT" ] "IN" texts
//	          | numberField ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) whole
//	          | numberField [ "NOT" ] "IN" ranges .
//	textField = "region" | "kind" | "node" .
//	numberField = "process" | "thread" .
//	texts     = text { "," text } | "(" text { "," text } ")" .
//	ranges    = range { "," range } | "(" range { "," range } ")" .
//	range     = whole [ ".." whole ] .
//
// # Words
//
// Keywords, modifiers, terms and shapes may be written in capitals or not.
// Metrics and experiments are as they are.
//
//	name      = bareName | quotedName | text .
//	term      = bareName | quotedName .
//	metricName = bareName | quotedName .
//	bareName  = letter { letter | digit | "_" | "." | "#" | ":" | "%" } .
//	quotedName = '"' { any character, \" or \\ } '"' .
//	text      = "'" { any character, or '' for a quote } "'" | bareName .
//	number    = digits [ "." digits ] [ "e" [ "+" | "-" ] digits ] .
//
// A letter is one of any script, or "_". The marks . # : % belong to a name only
// inside it. The words and, or, not, is, if, then, where, over, by, with, order,
// limit, asc and desc are names only in quotes.
//
// # Bounds
//
// A query has at most 65,536 bytes and 64 statements, is nested at most 200
// deep, and a phrase has at most 64 terms under at most 16 modifiers each.
package syntax
