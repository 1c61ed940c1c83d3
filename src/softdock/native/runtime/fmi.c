/* Plants as co-simulation units of FMI 2.0 and 3.0 (https://fmi-standard.org): both sets of functions in one library.

   Value references: 0 is the time, then come inputs, outputs and parameters in the order of the file. The library finds
   the kernels in its own folder, and `model.sdm` in the resources of the unit. */
#define _GNU_SOURCE
#include "softdock.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { OK, WARNING, DISCARD, ERROR, FATAL };
typedef int status;
typedef uint32_t reference;
typedef void (*log3)(void *, status, const char *, const char *);
typedef void (*log2)(void *, const char *, status, const char *, const char *, ...);

typedef struct {
    sd_plant *plant;
    double *kept;     /* inputs, while a start with other parameters resets them */
    int stale;        /* outputs do not belong to the present inputs */
    int changed;      /* parameters were set since the start */
    int started;      /* initialization mode was left */
    int early;        /* steps may end at events */
    log3 log_3;
    log2 log_2;
    void *environment;
    char name[128];
} instance;

typedef struct { size_t size; int stale, changed, started, unused; char bytes[]; } saved;

static void tell(instance *i, status s, const char *text) {
    if (i->log_3)
        i->log_3(i->environment, s, "logStatusError", text);
    else if (i->log_2)
        i->log_2(i->environment, i->name, s, "logStatusError", "%s", text);
}

static status refuse(instance *i, const char *text) { return tell(i, ERROR, text), ERROR; }

/* Writes the folder of this library. */
static int own_folder(char *folder, size_t size) {
    Dl_info info;
    if (!dladdr((void *)own_folder, &info) || !info.dli_fname)
        return 0;
    snprintf(folder, size, "%s", info.dli_fname);
    char *end = strrchr(folder, '/');
    if (end)
        *end = 0;
    else
        snprintf(folder, size, ".");
    return 1;
}

static instance *make(const char *name, const char *resources, log3 log_3, log2 log_2, void *environment) {
    char folder[4096], file[4096], message[512] = "";
    instance *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    i->log_3 = log_3, i->log_2 = log_2, i->environment = environment;
    snprintf(i->name, sizeof i->name, "%s", name ? name : "");
    size_t length = resources ? strlen(resources) : 0;
    snprintf(file, sizeof file, "%s%smodel.sdm", resources ? resources : "", length && resources[length - 1] == '/' ? "" : "/");
    size_t inputs = 0;
    if (own_folder(folder, sizeof folder) && (i->plant = sd_open(file, folder, message, sizeof message))) {
        sd_inputs(i->plant, &inputs);
        i->kept = calloc(inputs + 1, sizeof(double));
    }
    if (!i->plant || !i->kept) {
        tell(i, ERROR, message);
        sd_close(i->plant);
        free(i);
        return NULL;
    }
    return i;
}

static void drop(instance *i) {
    if (!i)
        return;
    sd_close(i->plant);
    free(i->kept);
    free(i);
}

/* Begins anew with parameters that were set, and evaluates outputs for inputs that were set. */
static status refresh(instance *i) {
    size_t inputs;
    double *u = sd_inputs(i->plant, &inputs);
    if (i->changed) {
        memcpy(i->kept, u, inputs * sizeof(double));
        if (sd_start(i->plant) != SD_TIME_REACHED)
            return refuse(i, "The run cannot be started with these parameters.");
        memcpy(u, i->kept, inputs * sizeof(double));
        i->changed = 0, i->stale = 1;
    }
    if (i->stale && sd_observe(i->plant) != SD_TIME_REACHED)
        return refuse(i, "An input is not finite.");
    i->stale = 0;
    return OK;
}

static status get(instance *i, const reference *which, size_t n, double *values) {
    size_t inputs, parameters, outputs = sd_output_count(i->plant);
    status s = refresh(i);
    const double *u = sd_inputs(i->plant, &inputs), *p = sd_parameters(i->plant, &parameters);
    for (size_t k = 0; s == OK && k < n; k++) {
        size_t at = which[k];
        if (at == 0)
            values[k] = sd_time(i->plant);
        else if ((at -= 1) < inputs)
            values[k] = u[at];
        else if ((at -= inputs) < outputs)
            values[k] = sd_output(i->plant, at);
        else if ((at -= outputs) < parameters)
            values[k] = p[at];
        else
            return refuse(i, "There is no variable of this value reference.");
    }
    return s;
}

static status set(instance *i, const reference *which, size_t n, const double *values) {
    size_t inputs, parameters, outputs = sd_output_count(i->plant);
    double *u = sd_inputs(i->plant, &inputs), *p = sd_parameters(i->plant, &parameters);
    for (size_t k = 0; k < n; k++) {
        size_t at = (size_t)which[k] - 1;
        if (which[k] && at < inputs) {
            u[at] = values[k];
            i->stale = 1;
        } else if (which[k] && at >= inputs + outputs && at - inputs - outputs < parameters) {
            if (i->started)
                return refuse(i, "Parameters are set before the simulation begins.");
            p[at - inputs - outputs] = values[k];
            i->changed = 1;
        } else
            return refuse(i, "Only inputs and parameters can be set.");
    }
    return OK;
}

static status begin(instance *i, double start) {
    if (start != 0.0)
        return refuse(i, "The run starts at 0 s.");
    return OK;
}

static status leave_initialization(instance *i) {
    status s = refresh(i);
    i->started = 1;
    sd_return_at_events(i->plant, i->early);
    return s;
}

static status restart(instance *i) {
    size_t parameters;
    (void)sd_parameters(i->plant, &parameters);
    i->stale = i->changed = i->started = 0;
    return sd_start(i->plant) == SD_TIME_REACHED ? OK : refuse(i, "The run cannot be started.");
}

/* Advances to a time; `ended`: the run is over, `early`: it is not at that time. */
static status advance(instance *i, double until, bool *ended, bool *early) {
    /* The sum of the steps of the importer and the time of the run may differ by rounding. */
    int result = sd_advance(i->plant, until);
    i->stale = 0;
    *ended = result != SD_TIME_REACHED || sd_time(i->plant) >= sd_duration(i->plant);
    *early = sd_time(i->plant) < until;
    if (result == SD_NOT_FINITE)
        return refuse(i, "An input or the state is not finite.");
    return result == SD_TIME_REACHED || result == SD_STOPPED ? OK : refuse(i, "The run could not be continued.");
}

static status keep_state(instance *i, void **state) {
    size_t size = sd_state_size(i->plant);
    saved *s = *state;
    if (s && s->size != size) {
        free(s);
        s = NULL;
    }
    if (!s && !(s = malloc(sizeof *s + size)))
        return refuse(i, "Memory is short.");
    s->size = size, s->stale = i->stale, s->changed = i->changed, s->started = i->started, s->unused = 0;
    sd_save(i->plant, s->bytes);
    *state = s;
    return OK;
}

static status set_state(instance *i, const saved *s) {
    if (!sd_restore(i->plant, s->bytes, s->size))
        return refuse(i, "The state does not belong to this unit.");
    i->stale = s->stale, i->changed = s->changed, i->started = s->started;
    return OK;
}

static status state_from_bytes(instance *i, const void *bytes, size_t n, void **state) {
    const saved *given = bytes;
    if (n < sizeof *given || n != sizeof *given + given->size)
        return refuse(i, "The bytes are no state.");
    if (!(*state = malloc(n)))
        return refuse(i, "Memory is short.");
    memcpy(*state, bytes, n);
    return OK;
}

static status bytes_of_state(const saved *s, void *bytes, size_t n) {
    if (n < sizeof *s + s->size)
        return ERROR;
    memcpy(bytes, s, sizeof *s + s->size);
    return OK;
}

/* FMI 3.0 */

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }
EXPORT status fmi3SetDebugLogging(void *i, bool on, size_t n, const char *const c[]) { return OK; }
EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                         bool logging, bool event_mode, bool early, const reference v[], size_t n,
                                         void *environment, log3 log, void *update) {
    instance *i = make(name, resources, log, NULL, environment);
    if (i)
        i->early = early;
    return i;
}
EXPORT void *fmi3InstantiateModelExchange(const char *a, const char *b, const char *c, bool d, bool e, void *f, log3 g) { return NULL; }
EXPORT void *fmi3InstantiateScheduledExecution(const char *a, const char *b, const char *c, bool d, bool e, void *f, log3 g, void *h, void *i, void *j) { return NULL; }
EXPORT void fmi3FreeInstance(void *i) { drop(i); }
EXPORT status fmi3EnterInitializationMode(void *i, bool a, double b, double start, bool c, double stop) { return begin(i, start); }
EXPORT status fmi3ExitInitializationMode(void *i) { return leave_initialization(i); }
EXPORT status fmi3EnterEventMode(void *i) { return OK; }
EXPORT status fmi3EnterStepMode(void *i) { return OK; }
EXPORT status fmi3Terminate(void *i) { return OK; }
EXPORT status fmi3Reset(void *i) { return restart(i); }
EXPORT status fmi3GetFloat64(void *i, const reference v[], size_t n, double x[], size_t m) { return n == m ? get(i, v, n, x) : ERROR; }
EXPORT status fmi3SetFloat64(void *i, const reference v[], size_t n, const double x[], size_t m) { return n == m ? set(i, v, n, x) : ERROR; }
EXPORT status fmi3GetFMUState(void *i, void **s) { return keep_state(i, s); }
EXPORT status fmi3SetFMUState(void *i, void *s) { return set_state(i, s); }
EXPORT status fmi3FreeFMUState(void *i, void **s) { return free(*s), *s = NULL, OK; }
EXPORT status fmi3SerializedFMUStateSize(void *i, void *s, size_t *n) { return *n = sizeof(saved) + ((saved *)s)->size, OK; }
EXPORT status fmi3SerializeFMUState(void *i, void *s, uint8_t b[], size_t n) { return bytes_of_state(s, b, n); }
EXPORT status fmi3DeserializeFMUState(void *i, const uint8_t b[], size_t n, void **s) { return state_from_bytes(i, b, n, s); }
EXPORT status fmi3DoStep(void *i, double t, double h, bool final, bool *event, bool *terminate, bool *early, double *last) {
    double now = sd_time(((instance *)i)->plant);
    *event = false;
    if (t - now > 1e-9 * (1.0 + h) || now - t > 1e-9 * (1.0 + h))
        return refuse(i, "The step does not begin at the present time.");
    status s = advance(i, t + h, terminate, early);
    *last = sd_time(((instance *)i)->plant);
    return s;
}
EXPORT status fmi3UpdateDiscreteStates(void *i, bool *a, bool *b, bool *c, bool *d, bool *e, double *f) {
    *a = *b = *c = *d = *e = false;
    return OK;
}
EXPORT status fmi3EvaluateDiscreteStates(void *i) { return OK; }
EXPORT status fmi3GetNumberOfVariableDependencies(void *i, reference v, size_t *n) { return *n = 0, ERROR; }
EXPORT status fmi3GetVariableDependencies(void *i, reference v, size_t a[], reference b[], size_t c[], int d[], size_t n) { return ERROR; }
EXPORT status fmi3GetOutputDerivatives(void *i, const reference v[], size_t n, const int32_t o[], double x[], size_t m) { return ERROR; }
EXPORT status fmi3GetDirectionalDerivative(void *i, const reference a[], size_t b, const reference c[], size_t d, const double e[], size_t f, double g[], size_t h) { return ERROR; }
EXPORT status fmi3GetAdjointDerivative(void *i, const reference a[], size_t b, const reference c[], size_t d, const double e[], size_t f, double g[], size_t h) { return ERROR; }

/* What the unit has none of: variables of other types, clocks, configuration, model exchange. */
#define NO_VARIABLES(name, type) \
    EXPORT status fmi3Get##name(void *i, const reference v[], size_t n, type x[], size_t m) { return n ? ERROR : OK; } \
    EXPORT status fmi3Set##name(void *i, const reference v[], size_t n, const type x[], size_t m) { return n ? ERROR : OK; }
NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(Int32, int32_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)
NO_VARIABLES(Boolean, bool)
NO_VARIABLES(String, char *)
EXPORT status fmi3GetBinary(void *i, const reference v[], size_t n, size_t s[], const uint8_t *x[], size_t m) { return n ? ERROR : OK; }
EXPORT status fmi3SetBinary(void *i, const reference v[], size_t n, const size_t s[], const uint8_t *const x[], size_t m) { return n ? ERROR : OK; }
EXPORT status fmi3GetClock(void *i, const reference v[], size_t n, bool x[]) { return n ? ERROR : OK; }
EXPORT status fmi3SetClock(void *i, const reference v[], size_t n, const bool x[]) { return n ? ERROR : OK; }
EXPORT status fmi3GetIntervalDecimal(void *i, const reference v[], size_t n, double x[], int q[]) { return n ? ERROR : OK; }
EXPORT status fmi3GetIntervalFraction(void *i, const reference v[], size_t n, uint64_t x[], uint64_t r[], int q[]) { return n ? ERROR : OK; }
EXPORT status fmi3GetShiftDecimal(void *i, const reference v[], size_t n, double x[]) { return n ? ERROR : OK; }
EXPORT status fmi3GetShiftFraction(void *i, const reference v[], size_t n, uint64_t x[], uint64_t r[]) { return n ? ERROR : OK; }
EXPORT status fmi3SetIntervalDecimal(void *i, const reference v[], size_t n, const double x[]) { return n ? ERROR : OK; }
EXPORT status fmi3SetIntervalFraction(void *i, const reference v[], size_t n, const uint64_t x[], const uint64_t r[]) { return n ? ERROR : OK; }
EXPORT status fmi3SetShiftDecimal(void *i, const reference v[], size_t n, const double x[]) { return n ? ERROR : OK; }
EXPORT status fmi3SetShiftFraction(void *i, const reference v[], size_t n, const uint64_t x[], const uint64_t r[]) { return n ? ERROR : OK; }
EXPORT status fmi3EnterConfigurationMode(void *i) { return ERROR; }
EXPORT status fmi3ExitConfigurationMode(void *i) { return ERROR; }
EXPORT status fmi3EnterContinuousTimeMode(void *i) { return ERROR; }
EXPORT status fmi3CompletedIntegratorStep(void *i, bool a, bool *b, bool *c) { return ERROR; }
EXPORT status fmi3SetTime(void *i, double t) { return ERROR; }
EXPORT status fmi3SetContinuousStates(void *i, const double x[], size_t n) { return ERROR; }
EXPORT status fmi3GetContinuousStateDerivatives(void *i, double x[], size_t n) { return ERROR; }
EXPORT status fmi3GetEventIndicators(void *i, double x[], size_t n) { return ERROR; }
EXPORT status fmi3GetContinuousStates(void *i, double x[], size_t n) { return ERROR; }
EXPORT status fmi3GetNominalsOfContinuousStates(void *i, double x[], size_t n) { return ERROR; }
EXPORT status fmi3GetNumberOfEventIndicators(void *i, size_t *n) { return *n = 0, OK; }
EXPORT status fmi3GetNumberOfContinuousStates(void *i, size_t *n) { return *n = 0, OK; }
EXPORT status fmi3ActivateModelPartition(void *i, reference v, double t) { return ERROR; }

/* FMI 2.0 */

typedef struct { log2 log; void *allocate, *release, *finished, *environment; } callbacks;

/* Turns file:///a%20b into /a b. */
static void path_of(const char *location, char *path, size_t size) {
    const char *from = location ? location : "";
    if (!strncmp(from, "file:", 5)) {
        from += 5;
        if (!strncmp(from, "//", 2)) {
            from += 2;
            while (*from && *from != '/')
                from++;
        }
    }
    size_t n = 0;
    for (; *from && n + 1 < size; n++) {
        unsigned int code;
        if (*from == '%' && sscanf(from + 1, "%2x", &code) == 1) {
            path[n] = (char)code;
            from += 3;
        } else
            path[n] = *from++;
    }
    path[n] = 0;
}

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }
EXPORT status fmi2SetDebugLogging(void *i, int on, size_t n, const char *const c[]) { return OK; }
EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *location, const callbacks *c, int visible, int logging) {
    char path[4096];
    path_of(location, path, sizeof path);
    return type == 1 ? make(name, path, NULL, c ? c->log : NULL, c ? c->environment : NULL) : NULL;
}
EXPORT void fmi2FreeInstance(void *i) { drop(i); }
EXPORT status fmi2SetupExperiment(void *i, int a, double b, double start, int c, double stop) { return begin(i, start); }
EXPORT status fmi2EnterInitializationMode(void *i) { return OK; }
EXPORT status fmi2ExitInitializationMode(void *i) { return leave_initialization(i); }
EXPORT status fmi2Terminate(void *i) { return OK; }
EXPORT status fmi2Reset(void *i) { return restart(i); }
EXPORT status fmi2GetReal(void *i, const reference v[], size_t n, double x[]) { return get(i, v, n, x); }
EXPORT status fmi2SetReal(void *i, const reference v[], size_t n, const double x[]) { return set(i, v, n, x); }
EXPORT status fmi2GetFMUstate(void *i, void **s) { return keep_state(i, s); }
EXPORT status fmi2SetFMUstate(void *i, void *s) { return set_state(i, s); }
EXPORT status fmi2FreeFMUstate(void *i, void **s) { return free(*s), *s = NULL, OK; }
EXPORT status fmi2SerializedFMUstateSize(void *i, void *s, size_t *n) { return *n = sizeof(saved) + ((saved *)s)->size, OK; }
EXPORT status fmi2SerializeFMUstate(void *i, void *s, char b[], size_t n) { return bytes_of_state(s, b, n); }
EXPORT status fmi2DeSerializeFMUstate(void *i, const char b[], size_t n, void **s) { return state_from_bytes(i, b, n, s); }
EXPORT status fmi2DoStep(void *i, double t, double h, int final) {
    bool ended, early;
    double now = sd_time(((instance *)i)->plant);
    if (t - now > 1e-9 * (1.0 + h) || now - t > 1e-9 * (1.0 + h))
        return refuse(i, "The step does not begin at the present time.");
    status s = advance(i, t + h, &ended, &early);
    return s == OK && early ? DISCARD : s;
}
EXPORT status fmi2CancelStep(void *i) { return ERROR; }
EXPORT status fmi2GetStatus(void *i, int kind, status *v) { return DISCARD; }
EXPORT status fmi2GetRealStatus(void *i, int kind, double *v) { return kind == 2 ? *v = sd_time(((instance *)i)->plant), OK : DISCARD; }
EXPORT status fmi2GetIntegerStatus(void *i, int kind, int *v) { return DISCARD; }
EXPORT status fmi2GetBooleanStatus(void *i, int kind, int *v) {
    sd_plant *p = ((instance *)i)->plant;
    return kind == 3 ? *v = sd_advance(p, sd_time(p)) != SD_TIME_REACHED || sd_time(p) >= sd_duration(p), OK : DISCARD;
}
EXPORT status fmi2GetStringStatus(void *i, int kind, const char **v) { return DISCARD; }
EXPORT status fmi2SetRealInputDerivatives(void *i, const reference v[], size_t n, const int o[], const double x[]) { return ERROR; }
EXPORT status fmi2GetRealOutputDerivatives(void *i, const reference v[], size_t n, const int o[], double x[]) { return ERROR; }
EXPORT status fmi2GetDirectionalDerivative(void *i, const reference a[], size_t n, const reference b[], size_t m, const double x[], double y[]) { return ERROR; }
#define NO_VARIABLES_2(name, type) \
    EXPORT status fmi2Get##name(void *i, const reference v[], size_t n, type x[]) { return n ? ERROR : OK; } \
    EXPORT status fmi2Set##name(void *i, const reference v[], size_t n, const type x[]) { return n ? ERROR : OK; }
NO_VARIABLES_2(Integer, int)
NO_VARIABLES_2(Boolean, int)
NO_VARIABLES_2(String, char *)
