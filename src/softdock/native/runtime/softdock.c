/* Plants and contacts from files: memory, kernels, growth of near lists. See softdock.h.

   A file has the words of the arguments of a kernel, each relative to the address of a block of memory or a number, and
   the bytes of the constant block and of the data at the start: `src/softdock/native/model_file.py` writes it. */
#define _GNU_SOURCE
#include "softdock.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifdef SOFTDOCK_RUNTIME_DIGEST
const char softdock_runtime_digest[] = SOFTDOCK_RUNTIME_DIGEST; /* of these sources: tells when to build them again */
#endif

enum { MODEL, DATA, LISTS, ROWS, SCRATCH, BLOCKS }; /* kinds of memory, in the order of `Memory` */
enum { LINE = 64 };                                 /* alignment of arrays [bytes] */
enum { LISTS_TOO_LONG = 6 };

typedef struct { /* all integers have 64 bits; the same in model_file.py */
    char magic[8], digest[64];
    int64_t words, lists, capacity_words, outputs, inputs, parameters, entries, bytes[BLOCKS];
    int64_t capacity, largest_capacity, is_contact;
    int64_t t, t_end, log_rows, returns_at_events, first_input, status_size; /* bytes in DATA; -1: none */
    int64_t states_A, states_B, results, work, block_count;                /* words; bytes in the record of a list */
    double duration;
} header;
typedef struct { int64_t word, bytes, bytes_per_block, stride, empty[2]; } list_array; /* empty: bytes of a record */
typedef struct { int64_t parameter, block, offset; double base, slope; } entry;      /* value = base + slope p */
typedef int (*kernel)(const int64_t *, void *);

typedef struct {
    char *file;
    const header *h;
    const int64_t *words_of_file, *bases, *capacity_words, *outputs;
    const list_array *lists;
    const double *defaults;
    const entry *entries;
    const char *model, *start;
    char *blocks[BLOCKS];
    int64_t *words, capacity, list_bytes;
    void *library;
} memory;

struct sd_plant {
    memory m;
    double *parameters;
    kernel begin, advance, observe;
    int64_t events;
    int status;
};

struct sd_contact {
    memory m;
    kernel evaluate;
};

static size_t rounded(size_t size) { return (size + LINE - 1) / LINE * LINE; }

static char *zeros(size_t size) {
    void *block = NULL;
    size = size ? rounded(size) : LINE;
    if (posix_memalign(&block, LINE, size))
        return NULL;
    return memset(block, 0, size);
}

/* Hosts may flush subnormal numbers to zero, which would change results. Returns the former mode. */
static unsigned int set_mode(unsigned int mode) {
#if defined(__x86_64__)
    unsigned int before = _mm_getcsr();
    _mm_setcsr(mode);
    return before;
#else
    return mode;
#endif
}

static int call(kernel function, const int64_t *words, int64_t *result) {
    unsigned int mode = set_mode(0x1f80);
    int failed = function(words, result);
    set_mode(mode);
    return failed;
}

static void *fail(char *message, size_t size, const char *text, const char *what) {
    if (message && size)
        snprintf(message, size, text, what);
    return NULL;
}

/* Loads the kernels for this processor: those of the highest instruction set that it has. */
static void *load_kernels(const char *folder, char *message, size_t size) {
#if defined(__x86_64__)
    static const char *const builds[] = {"x86-64-v3", "x86-64-v4"};
    enum { FIRST_LEVEL = 3 };
#else
    static const char *const builds[] = {"aarch64", "arm64"};
    enum { FIRST_LEVEL = 0 };
#endif
#if defined(__APPLE__)
    const char *suffix = "dylib";
#else
    const char *suffix = "so";
#endif
    void *best = NULL;
    char path[4096], reason[256] = "there is no file of kernels for this processor";
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/softdock_kernels.%s.%s", folder, builds[i], suffix);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            snprintf(reason, sizeof reason, "%s", dlerror());
            continue;
        }
        int (*level)(void) = (int (*)(void))dlsym(library, "softdock_cpu_level");
        if (!level || level() < (FIRST_LEVEL ? FIRST_LEVEL + i : 0)) {
            snprintf(reason, sizeof reason, "this processor cannot run %s", builds[i]);
            dlclose(library);
            continue;
        }
        if (best)
            dlclose(best);
        best = library;
    }
    return best ? best : fail(message, size, "The kernels of Softdock cannot be loaded: %s.", reason);
}

/* Places the near lists for a capacity; returns their size, and writes their words if there is a block. */
static int64_t place_lists(memory *m, char *block, int64_t capacity) {
    int64_t at = 0;
    for (int64_t i = 0; i < m->h->lists; i++) {
        const list_array *l = &m->lists[i];
        int64_t bytes = l->bytes + capacity * l->bytes_per_block;
        if (block) {
            m->words[l->word] = (int64_t)(block + at);
            if (l->stride)
                for (int64_t k = 0; k + l->stride <= bytes; k += l->stride)
                    for (int n = 0; n < 2; n++)
                        if (l->empty[n] >= 0)
                            *(double *)(block + at + k + l->empty[n]) = -INFINITY;
        }
        at += (int64_t)rounded(bytes);
    }
    for (int64_t i = 0; block && i < m->h->capacity_words; i++)
        m->words[m->capacity_words[i]] = capacity;
    return at;
}

/* Makes empty near lists of a capacity; returns 0 if memory is short. */
static int empty_lists(memory *m, int64_t capacity) {
    int64_t size = place_lists(m, NULL, capacity);
    if (capacity > m->h->largest_capacity)
        return 0;
    char *block = zeros(size);
    if (!block)
        return 0;
    free(m->blocks[LISTS]);
    m->blocks[LISTS] = block;
    m->list_bytes = size, m->capacity = capacity;
    place_lists(m, block, capacity);
    return 1;
}

static void release(memory *m) {
    for (int i = 0; i < BLOCKS; i++)
        free(m->blocks[i]);
    free(m->words);
    free(m->file);
    if (m->library)
        dlclose(m->library);
}

static char *read_file(const char *path, size_t *size) {
    FILE *stream = fopen(path, "rb");
    char *content = NULL;
    long end;
    if (!stream)
        return NULL;
    if (!fseek(stream, 0, SEEK_END) && (end = ftell(stream)) >= 0 && !fseek(stream, 0, SEEK_SET)) {
        *size = (size_t)end;
        content = zeros(*size);
        if (content && fread(content, 1, *size, stream) != *size)
            free(content), content = NULL;
    }
    fclose(stream);
    return content;
}

/* Reads a file, loads the kernels and makes all blocks; returns 0 and writes a message if that is impossible. */
static int open_memory(memory *m, const char *path, const char *kernels, int is_contact, char *message, size_t size) {
    size_t bytes = 0;
    if (!(m->file = read_file(path, &bytes)))
        return fail(message, size, "The file %s cannot be read.", path), 0;
    const header *h = m->h = (const header *)m->file;
    if (bytes < sizeof *h || memcmp(h->magic, "SDMODEL1", 8) || h->is_contact != is_contact)
        return fail(message, size, "%s was not written by `softdock export` for this use.", path), 0;
    m->words_of_file = (const int64_t *)(m->file + rounded(sizeof *h));
    m->bases = m->words_of_file + h->words;
    m->lists = (const list_array *)(m->bases + h->words);
    m->capacity_words = (const int64_t *)(m->lists + h->lists);
    m->outputs = m->capacity_words + h->capacity_words;
    m->defaults = (const double *)(m->outputs + h->outputs);
    m->entries = (const entry *)(m->defaults + h->parameters);
    m->model = m->file + rounded((const char *)(m->entries + h->entries) - m->file);
    m->start = m->model + rounded(h->bytes[MODEL]);
    if (m->start + h->bytes[DATA] > m->file + bytes)
        return fail(message, size, "%s is not complete.", path), 0;
    if (!(m->library = load_kernels(kernels, message, size)))
        return 0;
    const char *digest = dlsym(m->library, "softdock_source_digest");
    if (!digest || strncmp(digest, h->digest, sizeof h->digest))
        return fail(message, size, "%s and the kernels belong to different versions of Softdock.", path), 0;
    m->words = (int64_t *)zeros(8 * h->words);
    for (int i = 0; i < BLOCKS; i++)
        if (i != LISTS && !(m->blocks[i] = zeros(h->bytes[i])))
            return fail(message, size, "Memory is short%s.", ""), 0;
    if (!m->words)
        return fail(message, size, "Memory is short%s.", ""), 0;
    memcpy(m->blocks[MODEL], m->model, h->bytes[MODEL]);
    memcpy(m->blocks[DATA], m->start, h->bytes[DATA]);
    for (int64_t i = 0; i < h->words; i++)
        m->words[i] = m->words_of_file[i] + (m->bases[i] < BLOCKS ? (int64_t)m->blocks[m->bases[i]] : 0);
    if (!empty_lists(m, h->capacity))
        return fail(message, size, "Memory is short%s.", ""), 0;
    return 1;
}

static kernel find(memory *m, const char *symbol) { return (kernel)dlsym(m->library, symbol); }

#define FIELD(m, type, name) (*(type *)((m)->blocks[DATA] + (m)->h->name))

sd_plant *sd_open(const char *file, const char *kernels, char *message, size_t size) {
    sd_plant *p = calloc(1, sizeof *p);
    if (!p)
        return fail(message, size, "Memory is short%s.", "");
    if (!open_memory(&p->m, file, kernels, 0, message, size)) {
        sd_close(p);
        return NULL;
    }
    p->begin = find(&p->m, "softdock_dynamics_kernels_run_time_loop_begin_run");
    p->advance = find(&p->m, "softdock_dynamics_kernels_run_plant_advance_plant");
    p->observe = find(&p->m, "softdock_dynamics_kernels_run_plant_observe_plant");
    p->parameters = (double *)zeros(8 * p->m.h->parameters);
    if (p->parameters)
        memcpy(p->parameters, p->m.defaults, 8 * p->m.h->parameters);
    if (!p->begin || !p->advance || !p->observe || !p->parameters || sd_start(p) != SD_TIME_REACHED) {
        fail(message, size, "%s cannot be started.", file);
        sd_close(p);
        return NULL;
    }
    return p;
}

void sd_close(sd_plant *p) {
    if (!p)
        return;
    release(&p->m);
    free(p->parameters);
    free(p);
}

int sd_start(sd_plant *p) {
    memory *m = &p->m;
    const header *h = m->h;
    int64_t room = 0;
    memcpy(m->blocks[MODEL], m->model, h->bytes[MODEL]);
    memcpy(m->blocks[DATA], m->start, h->bytes[DATA]);
    for (int64_t i = 0; i < h->entries; i++) {
        const entry *e = &m->entries[i];
        double p_i = p->parameters[e->parameter];
        if (p_i != m->defaults[e->parameter])
            *(double *)(m->blocks[e->block] + e->offset) = e->base + e->slope * p_i;
    }
    p->status = SD_TIME_REACHED, p->events = 0;
    if (!empty_lists(m, h->capacity))
        return SD_NO_MEMORY;
    return call(p->begin, m->words, &room) ? SD_FAILED : sd_observe(p); /* lists that do not fit grow in sd_advance */
}

int sd_advance(sd_plant *p, double until) {
    memory *m = &p->m;
    int64_t status = 0;
    if (p->status != SD_TIME_REACHED || FIELD(m, double, t) >= m->h->duration)
        return p->status;
    FIELD(m, double, t_end) = until < m->h->duration ? until : m->h->duration;
    FIELD(m, int64_t, log_rows) = 0;
    do {
        if (call(p->advance, m->words, &status))
            return p->status = SD_FAILED;
    } while (status == LISTS_TOO_LONG && empty_lists(m, 2 * m->capacity));
    p->events = FIELD(m, int64_t, log_rows);
    if (status == SD_NOT_FINITE) { /* an input: nothing has happened */
        size_t count;
        const double *u = sd_inputs(p, &count);
        for (size_t i = 0; i < count; i++)
            if (!isfinite(u[i]))
                return SD_NOT_FINITE;
    }
    return p->status = (int)status;
}

int sd_observe(sd_plant *p) {
    int64_t finite = 0;
    if (call(p->observe, p->m.words, &finite))
        return p->status = SD_FAILED;
    return finite ? SD_TIME_REACHED : SD_NOT_FINITE;
}

double sd_time(const sd_plant *p) { return FIELD(&p->m, double, t); }
double sd_duration(const sd_plant *p) { return p->m.h->duration; }

double *sd_inputs(sd_plant *p, size_t *count) {
    if (count)
        *count = (size_t)p->m.h->inputs;
    return (double *)(p->m.blocks[DATA] + p->m.h->first_input);
}

double *sd_parameters(sd_plant *p, size_t *count) {
    if (count)
        *count = (size_t)p->m.h->parameters;
    return p->parameters;
}

size_t sd_output_count(const sd_plant *p) { return (size_t)p->m.h->outputs; }
double sd_output(const sd_plant *p, size_t i) { return *(double *)(p->m.blocks[DATA] + p->m.outputs[i]); }
size_t sd_event_count(const sd_plant *p) { return (size_t)p->events; }
void sd_return_at_events(sd_plant *p, int yes) { FIELD(&p->m, int64_t, returns_at_events) = yes != 0; }

/* A saved state: digest of the file's kernels, capacity, status, events, parameters, constants, data, near lists. */
typedef struct { char digest[64]; int64_t words, capacity, status, events; } saved_header;

size_t sd_state_size(const sd_plant *p) {
    const header *h = p->m.h;
    return sizeof(saved_header) + 8 * h->parameters + h->bytes[MODEL] + h->bytes[DATA] + p->m.list_bytes;
}

static char *copy_out(char *to, const void *from, size_t bytes) { return (char *)memcpy(to, from, bytes) + bytes; }
static const char *copy_in(void *to, const char *from, size_t bytes) { return memcpy(to, from, bytes), from + bytes; }

void sd_save(const sd_plant *p, void *state) {
    const memory *m = &p->m;
    saved_header s = {.words = m->h->words, .capacity = m->capacity, .status = p->status, .events = p->events};
    memcpy(s.digest, m->h->digest, sizeof s.digest);
    char *to = copy_out(state, &s, sizeof s);
    to = copy_out(to, p->parameters, 8 * m->h->parameters);
    to = copy_out(to, m->blocks[MODEL], m->h->bytes[MODEL]);
    to = copy_out(to, m->blocks[DATA], m->h->bytes[DATA]);
    copy_out(to, m->blocks[LISTS], m->list_bytes);
}

int sd_restore(sd_plant *p, const void *state, size_t size) {
    memory *m = &p->m;
    saved_header s;
    if (size < sizeof s)
        return 0;
    const char *from = copy_in(&s, state, sizeof s);
    if (s.words != m->h->words || memcmp(s.digest, m->h->digest, sizeof s.digest) || s.capacity < m->h->capacity)
        return 0;
    if (s.capacity > m->h->largest_capacity ||
        size - sizeof s != (size_t)(8 * m->h->parameters + m->h->bytes[MODEL] + m->h->bytes[DATA]) +
                               (size_t)place_lists(m, NULL, s.capacity))
        return 0;
    if (s.capacity != m->capacity && !empty_lists(m, s.capacity))
        return 0;
    from = copy_in(p->parameters, from, 8 * m->h->parameters);
    from = copy_in(m->blocks[MODEL], from, m->h->bytes[MODEL]);
    from = copy_in(m->blocks[DATA], from, m->h->bytes[DATA]);
    copy_in(m->blocks[LISTS], from, m->list_bytes);
    p->status = (int)s.status, p->events = s.events;
    return 1;
}

sd_contact *sd_contact_open(const char *file, const char *kernels, char *message, size_t size) {
    sd_contact *c = calloc(1, sizeof *c);
    if (!c)
        return fail(message, size, "Memory is short%s.", "");
    if (!open_memory(&c->m, file, kernels, 1, message, size) ||
        !(c->evaluate = find(&c->m, "softdock_contact_kernels_motion_states_evaluate_states"))) {
        sd_contact_close(c);
        return NULL;
    }
    return c;
}

void sd_contact_close(sd_contact *c) {
    if (!c)
        return;
    release(&c->m);
    free(c);
}

size_t sd_contact_forces(sd_contact *c, size_t count, const double *states_A, const double *states_B,
                         double *results) {
    memory *m = &c->m;
    size_t done = 0;
    while (done < count) {
        const void *arrays[3] = {states_A + SD_STATE_SIZE * done, states_B + SD_STATE_SIZE * done,
                                 results + SD_CONTACT_SIZE * done};
        const int64_t at[3] = {m->h->states_A, m->h->states_B, m->h->results};
        int64_t more = 0;
        for (int k = 0; k < 3; k++)
            m->words[at[k]] = (int64_t)arrays[k], m->words[at[k] + 1] = (int64_t)(count - done);
        if (call(c->evaluate, m->words, &more))
            return done;
        done += (size_t)more;
        if (done == count)
            break;
        int64_t blocks = *(int64_t *)(m->words[m->h->work] + m->h->block_count);
        memcpy(m->blocks[DATA], m->start, m->h->bytes[DATA]); /* the list is not valid */
        if (blocks <= m->capacity || !empty_lists(m, 2 * blocks))
            return done; /* a state that is not finite, or no memory */
    }
    return done;
}
