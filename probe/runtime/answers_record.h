/* The record of what MPI gives a rank, and buffers in it. Part of answers.h. */

enum { RECORDING = 1, ANSWERING };
static int answers; /* 0 where this rank does neither */

/* An answer that came so many times in a row: a program may look for a message a million
 * times. given is made of the call's arguments. */
struct head { uint64_t call, given, size, times; int64_t result; };
static struct head head, before;
static char *answer, *answer_before; /* what belongs to them; of a record that is read, in its file */
static size_t answer_room, answer_before_room, answer_at;
static int record_file = -1, lock_file = -1;
static uint64_t record_size, record_limit, calls_made;
static char *record;

static const char *answered_call(uint64_t call); /* its name */

/* Tells why this rank cannot be measured alone, for whoever started it. */
static void tell_refusal(const char *format, ...)
{
    const char *dir = getenv("AUSPEX_ANSWERS_DIR");
    char path[4096], text[512];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!dir || (size_t)snprintf(path, sizeof path, "%s/%d.refused", dir, rank) >= sizeof path)
        return;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || write(file, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1) < 0)
        fprintf(stderr, "auspex: %s\n", text);
    close(file);
}

/* The record cannot go on: the program can. */
static void give_up(void)
{
    close(record_file);
    answers = 0;
}

/* The program does not do what it did when it was recorded. */
static void departed(void)
{
    auspex_file_close(ABORTED, 1);
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

/* A call that no record answers. */
static void unanswerable(const char *name)
{
    if (!answers)
        return;
    tell_refusal("it calls %s", name);
    if (answers == RECORDING)
        give_up();
    else
        departed();
}

/* ---- the record ---- */

static int write_record(const void *from, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = write(record_file, (const char *)from + at, size - at);
        if (n <= 0)
            return 0;
        at += (size_t)n;
    }
    return 1;
}

static void flush_answer(void)
{
    if (before.times == 0)
        return;
    record_size += sizeof before + before.size;
    if (record_size > record_limit) {
        tell_refusal("what it receives is more than the %.3g GB that a record may hold", (double)record_limit / 1e9);
        give_up();
    } else if (!write_record(&before, sizeof before) || !write_record(answer_before, before.size)) {
        tell_refusal("its record could not be written");
        give_up();
    }
}

/* So many bytes more of the answer at hand; NULL where there are none. */
static char *answer_bytes(size_t size)
{
    if (answers == ANSWERING) {
        if (answer_at + size > head.size) {
            tell_refusal("call %llu, %s, asks for more than it was given in the record", (unsigned long long)calls_made, answered_call(head.call));
            departed();
        }
    } else if (head.size + size > answer_room) {
        size_t room = 2 * (head.size + size);
        char *more = realloc(answer, room);
        if (!more) {
            tell_refusal("there is no memory for a message of %.3g GB in its record", (double)size / 1e9);
            give_up();
            return NULL;
        }
        answer = more;
        answer_room = room;
    }
    char *at = answer + answer_at;
    answer_at += size;
    if (answers == RECORDING)
        head.size = answer_at;
    return at;
}

/* A value that MPI gave the program, or that it is to be given. */
static void value(void *v, size_t size)
{
    char *at = answers ? answer_bytes(size) : NULL;
    if (!at)
        return;
    if (answers == RECORDING)
        memcpy(at, v, size);
    else
        memcpy(v, at, size);
}

static int number(int n)
{
    value(&n, sizeof n);
    return n;
}

static uint64_t given(const int64_t *list, int n)
{
    uint64_t h = 0x243f6a88;
    for (int i = 0; i < n; i++) {
        h = (h ^ (uint64_t)list[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

/* Goes on to the next answer of a record that is read. */
static int next_answer(void)
{
    record += head.size;
    record_size -= head.size;
    head.times = head.size = 0;
    if (record_size < sizeof head)
        return 0;
    memcpy(&head, record, sizeof head);
    record += sizeof head;
    record_size -= sizeof head;
    answer = record;
    return head.size <= record_size;
}

/* Begins the answer to a call; returns what the call returns. */
static int answer_begin(uint64_t call, uint64_t arguments, int result)
{
    calls_made++;
    answer_at = 0;
    if (answers == RECORDING) {
        head = (struct head){call, arguments, 0, 1, result};
        return result;
    }
    if (head.times > 1)
        head.times--;
    else if (!next_answer()) {
        tell_refusal("call %llu, %s, comes after the end of its record", (unsigned long long)calls_made, answered_call(call));
        departed();
    }
    if (head.call != call) {
        tell_refusal("call %llu is %s, and was %s in the run with all ranks", (unsigned long long)calls_made, answered_call(call), answered_call(head.call));
        departed();
    }
    if (head.given != arguments) {
        tell_refusal("call %llu, %s, has other arguments than in the run with all ranks", (unsigned long long)calls_made, answered_call(call));
        departed();
    }
    return (int)head.result;
}

static void answer_end(void)
{
    if (answers != RECORDING)
        return;
    if (before.times > 0 && head.call == before.call && head.given == before.given && head.result == before.result && head.size == before.size &&
        memcmp(answer, answer_before, head.size) == 0) {
        before.times++;
        return;
    }
    flush_answer();
    char *other = answer_before;
    size_t room = answer_before_room;
    before = head;
    answer_before = answer;
    answer_before_room = answer_room;
    answer = other;
    answer_room = room;
}

/* ---- buffers ---- */

/* What a call receives, or a request will. */
struct piece { void *buffer; MPI_Count count; MPI_Datatype type; };
static struct piece *pieces;
static int piece_count, piece_room;

static void piece(const void *buffer, MPI_Count count, MPI_Datatype type)
{
    if (!answers || count <= 0)
        return;
    if (piece_count == piece_room) {
        int room = piece_room ? 2 * piece_room : 16;
        struct piece *more = realloc(pieces, (size_t)room * sizeof *pieces);
        if (!more)
            return;
        pieces = more;
        piece_room = room;
    }
    pieces[piece_count++] = (struct piece){(void *)buffer, count, type};
}

static const void *place(const void *buffer, MPI_Aint elements, MPI_Datatype type)
{
    MPI_Aint lower, extent = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    return (const char *)buffer + elements * extent;
}

/* A buffer is packed for the record in parts, so that sizes are an int's. */
enum { AT_ONCE_PACKED = 1 << 26 };

static void pack(const struct piece *p)
{
    int size = 0, room = 0;
    PMPI_Type_size(p->type, &size);
    MPI_Count most = size > 0 ? AT_ONCE_PACKED / size : 0, left = p->count;
    const char *at = p->buffer;
    if (size == 0)
        return;
    for (most = most > 0 ? most : 1; left > 0 && answers;) {
        int n = (int)(left < most ? left : most), used = 0;
        PMPI_Pack_size(n, p->type, MPI_COMM_SELF, &room);
        size_t start = answer_at;
        if (answers == RECORDING) {
            int *length = (int *)answer_bytes(sizeof room);
            char *to = length ? answer_bytes((size_t)room) : NULL;
            if (!to)
                return;
            PMPI_Pack((void *)at, n, p->type, to, room, &used, MPI_COMM_SELF);
            memcpy(answer + start, &used, sizeof used);
            answer_at = head.size = start + sizeof used + (size_t)used;
        } else {
            int length = number(0), from = 0;
            if (length > room) {
                tell_refusal("call %llu, %s, receives less than in the run with all ranks", (unsigned long long)calls_made, answered_call(head.call));
                departed();
            }
            PMPI_Unpack(answer_bytes((size_t)length), length, &from, (void *)at, n, p->type, MPI_COMM_SELF);
        }
        at = place(at, n, p->type);
        left -= n;
    }
}

/* How much of a buffer a message has filled. */
static MPI_Count filled(const MPI_Status *status, MPI_Count count, MPI_Datatype type)
{
    int n = MPI_UNDEFINED;
    if (status && PMPI_Get_count(status, type, &n) == MPI_SUCCESS && n != MPI_UNDEFINED && n < count)
        return n;
    return count;
}

static void answer_pieces(struct piece *list, int n, const MPI_Status *status)
{
    for (int i = 0; i < n; i++) {
        list[i].count = filled(status, list[i].count, list[i].type);
        pack(&list[i]);
    }
}
