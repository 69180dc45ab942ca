package source

/*
#include <stdint.h>
#include <stddef.h>

// What is used here of tree-sitter's C interface, whose library the Go binding
// brings along: the declarations are weak so that this package links alone.
typedef struct { uint32_t context[4]; const void *id; const void *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
#define WEAK __attribute__((weak))
WEAK TSTreeCursor ts_tree_cursor_new(TSNode);
WEAK void ts_tree_cursor_delete(TSTreeCursor *);
WEAK TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
WEAK uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
WEAK _Bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
WEAK _Bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
WEAK _Bool ts_tree_cursor_goto_parent(TSTreeCursor *);
WEAK uint32_t ts_node_start_byte(TSNode);
WEAK uint32_t ts_node_end_byte(TSNode);
WEAK uint16_t ts_node_symbol(TSNode);
WEAK _Bool ts_node_is_missing(TSNode);
WEAK void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));

static void plain_allocator(void) { ts_set_allocator(NULL, NULL, NULL, NULL); }

typedef struct { uint32_t start, end, parent; uint16_t kind, field; uint8_t missing, cut; } flat_node;

// flatten_tree writes the nodes below root, parents first, and returns how many
// there were room for. It goes no deeper than depth levels.
static uint32_t flatten_tree(const void *root, flat_node *out, uint32_t room, uint32_t depth)
{
	TSTreeCursor c = ts_tree_cursor_new(*(const TSNode *)root);
	uint32_t n = 0, level = 0, up = 0;
	while (n < room) {
		TSNode node = ts_tree_cursor_current_node(&c);
		flat_node *f = &out[n];
		f->start = ts_node_start_byte(node);
		f->end = ts_node_end_byte(node);
		f->kind = ts_node_symbol(node);
		f->field = ts_tree_cursor_current_field_id(&c);
		f->missing = f->start == f->end && ts_node_is_missing(node);
		f->cut = level == depth;
		f->parent = up;
		uint32_t here = n++;
		if (!f->cut && ts_tree_cursor_goto_first_child(&c)) {
			up = here;
			level++;
			continue;
		}
		while (!ts_tree_cursor_goto_next_sibling(&c)) {
			if (!ts_tree_cursor_goto_parent(&c))
				goto done;
			up = out[up].parent;
			level--;
		}
	}
done:
	ts_tree_cursor_delete(&c);
	return n;
}
*/
import "C"

import (
	"sync"
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// flatten reads a whole tree in one call: crossing into C several times for
// every node costs as much as parsing. The binding's Node is, by its own word,
// laid out as tree-sitter's.
func flatten(tree *sitter.Tree) []C.flat_node {
	root := tree.RootNode()
	out := make([]C.flat_node, root.DescendantCount())
	n := C.flatten_tree(unsafe.Pointer(root), &out[0], C.uint32_t(len(out)), maxDepth)
	return out[:n]
}

// plainAllocator has tree-sitter call malloc itself. The binding has it go
// through Go for every allocation, only to end in the same malloc.
var plainAllocator = sync.OnceFunc(func() { C.plain_allocator() })
