// engine answers SQL with ClickHouse's engine as a shared library, one
// statement after the other, over standard input and output.
//
// A request is a 4-byte length and a statement; an answer is a byte (0 for a
// result, 1 for an error), an 8-byte length and the result. Numbers are in the
// machine's order: both ends are on it.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int all(int out, char *data, size_t left) {
	while (left > 0) {
		ssize_t n = out ? write(3, data, left) : read(0, data, left);
		if (n <= 0)
			return 0;
		data += n;
		left -= (size_t)n;
	}
	return 1;
}

int main(int argc, char **argv) {
	if (argc != 3)
		return 2;
	void *lib = dlopen(argv[1], RTLD_NOW);
	if (lib == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	void **(*open_connection)(int, char **) = (void **(*)(int, char **))dlsym(lib, "chdb_connect");
	void (*close_connection)(void **) = (void (*)(void **))dlsym(lib, "chdb_close_conn");
	void *(*query)(void *, const char *, const char *) = (void *(*)(void *, const char *, const char *))dlsym(lib, "chdb_query");
	char *(*buffer)(void *) = (char *(*)(void *))dlsym(lib, "chdb_result_buffer");
	size_t (*length)(void *) = (size_t (*)(void *))dlsym(lib, "chdb_result_length");
	const char *(*error)(void *) = (const char *(*)(void *))dlsym(lib, "chdb_result_error");
	void (*destroy)(void *) = (void (*)(void *))dlsym(lib, "chdb_destroy_query_result");
	if (!open_connection || !close_connection || !query || !buffer || !length || !error || !destroy) {
		fprintf(stderr, "the library lacks chDB's functions\n");
		return 1;
	}
	char path[4096];
	snprintf(path, sizeof path, "--path=%s", argv[2]);
	char *arguments[] = {"clickhouse", path, NULL};
	void **connection = open_connection(2, arguments);
	if (connection == NULL)
		return 1;
	uint32_t size;
	while (all(0, (char *)&size, sizeof size)) {
		char *sql = malloc((size_t)size + 1);
		if (sql == NULL || !all(0, sql, size))
			break;
		sql[size] = 0;
		void *result = query(*connection, sql, "TabSeparated");
		free(sql);
		const char *wrong = result ? error(result) : "no result";
		char failed = wrong != NULL;
		char *text = failed ? (char *)wrong : buffer(result);
		uint64_t bytes = failed ? strlen(wrong) : (text ? length(result) : 0);
		if (!all(1, &failed, 1) || !all(1, (char *)&bytes, sizeof bytes) || !all(1, text, bytes))
			break;
		if (result)
			destroy(result);
	}
	close_connection(connection);
	_exit(0); // the library's destructors abort
}
