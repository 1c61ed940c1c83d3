/* Softdock without Python: plants and contacts from files that `softdock export` wrote.

   One object is used by one thread at a time; objects do not share anything that changes. Numbers are SI. Link with
   softdock_fmu.<machine>.so of the package softdock, or compile softdock.c (-ldl). The folder of the kernels is that of
   the installed package softdock.native: python -c "import softdock.native as n; print(n.__path__[0])". */
#ifndef SOFTDOCK_H
#define SOFTDOCK_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* How a call ended; also the values of `RunStatus` of Softdock. */
enum sd_status {
    SD_TIME_REACHED = 1,
    SD_STOPPED = 2,      /* by an event of the scenario */
    SD_STEPS_USED_UP = 3,
    SD_NOT_FINITE = 4,   /* an input or the state is not finite; with an input that is not, nothing has changed */
    SD_STEP_TOO_SMALL = 5,
    SD_NO_MEMORY = 6,    /* near lists of contacts need more memory than there is, or is sensible */
    SD_LOG_FULL = 7,
    SD_PENETRATED = 8,   /* a body passed the middle of a wall */
    SD_FAILED = 9        /* a kernel was stopped by an error */
};

typedef struct sd_plant sd_plant;

/* Opens a plant at its start. Returns NULL and writes a message of at most `size` bytes if that is impossible. */
sd_plant *sd_open(const char *file, const char *kernels, char *message, size_t size);
void sd_close(sd_plant *plant);

/* Begins anew with the present parameters; inputs return to their start. Returns SD_TIME_REACHED if it could. */
int sd_start(sd_plant *plant);
/* Integrates to a time with the present inputs and evaluates the outputs there; ends early where the run ends. */
int sd_advance(sd_plant *plant, double until);
/* Evaluates the outputs at the present time with the present inputs. */
int sd_observe(sd_plant *plant);

double sd_time(const sd_plant *plant);
double sd_duration(const sd_plant *plant);
/* Arrays in the order of the names given at export; inputs and parameters may be written. */
double *sd_inputs(sd_plant *plant, size_t *count);
double *sd_parameters(sd_plant *plant, size_t *count);
size_t sd_output_count(const sd_plant *plant);
double sd_output(const sd_plant *plant, size_t index);
/* Number of events of the scenario in the last call of sd_advance, which ends after the first one if asked to. */
size_t sd_event_count(const sd_plant *plant);
void sd_return_at_events(sd_plant *plant, int yes);

/* State for sd_restore of any plant of the same file: size in bytes at present, which may grow in contact. */
size_t sd_state_size(const sd_plant *plant);
void sd_save(const sd_plant *plant, void *state);
/* Returns 0 if the state is not one of this plant or memory is short. */
int sd_restore(sd_plant *plant, const void *state, size_t size);

/* Contact of two surfaces: motion states in, forces and torques out; see `ContactPair.export`. */
typedef struct sd_contact sd_contact;

enum {
    SD_STATE_SIZE = 18,   /* position [m], velocity [m/s], angular velocity [rad/s], rotation matrix by rows, in N */
    SD_CONTACT_SIZE = 25  /* force [N] and torque [N m] on A, the same on B, then results of the kernel `evaluate` */
};

sd_contact *sd_contact_open(const char *file, const char *kernels, char *message, size_t size);
void sd_contact_close(sd_contact *contact);
/* Evaluates `count` states of both bodies; returns the number that could be evaluated: less than `count` if a state is
   not finite or memory is short. */
size_t sd_contact_forces(sd_contact *contact, size_t count, const double *states_A, const double *states_B,
                         double *results);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
