// Package fuzzy holds the fuzzy logic of soft performance analysis: what words
// such as "very high" mean in numbers, and how far a number deserves them.
//
//  1. A [Shape] is a curve that gives a number its degree of membership:
//     S(0, 64), trapezoid(0, 1, 2, 3), points(0 0, 5 1). [ParseShape] reads
//     one; S(0, 64)@9 is the same curve drawn through 9 points.
//  2. A [Variable] names the sizes of a quantity (low, medium, high), and a
//     [Vocabulary] holds the variables and the [Factor]s of experiments. It is
//     read from TOML by [ReadVocabulary]; [Shipped] serves the common metrics,
//     and [TermsFromQuantiles] and [TermsFromCentres] learn terms from data.
//  3. A [Phrase] is what people say: "not very high or low". Modifiers stack.
//     A [Condition] says phrases of metrics and joins them, as in
//     "(wtime is high) AND (l2_misses/l2_accesses is very low)".
//  4. [Vocabulary.Resolve] turns metric and phrase into a [Set] and the
//     quantity to compare with it. [Set.Degree] computes here, [SQL] in the
//     database; both give the same.
//  5. [Infer] applies rules, IF condition THEN conclusion, and a [Defuzzifier]
//     makes a number of what they conclude.
//  6. [Score], [Aggregate] and [Distance] are the performance score, its
//     aggregate and the similarity of equations 1 to 3.
//
// A missing value is NaN here and NULL in the database. Its membership is
// missing and never counts.
package fuzzy
