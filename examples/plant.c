/* Runs a plant without Python and prints its outputs every sixteenth of a second, as hexadecimal numbers.

   softdock export plant assist-soft-docking --inputs servicer.force --outputs servicer.z --outputs servicer.vz \
       --outputs bumper.joint --outputs bumper-drogue.force --out docking.sdm
   K=$(python -c "import softdock.native as n; print(n.__path__[0])")
   cc -I$K/runtime plant.c $K/softdock_fmu.so -Wl,-rpath,$K -o plant && ./plant docking.sdm $K */
#include <stdio.h>

#include "softdock.h"

int main(int count, char **arguments) {
    char message[256];
    if (count != 3) {
        fprintf(stderr, "usage: %s FILE.sdm FOLDER_OF_KERNELS\n", arguments[0]);
        return 2;
    }
    sd_plant *plant = sd_open(arguments[1], arguments[2], message, sizeof message);
    if (!plant) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    size_t inputs;
    double *u = sd_inputs(plant, &inputs); /* servicer.fx, servicer.fy, servicer.fz */
    for (int k = 0; k < 64; k++) {
        u[inputs - 1] = 5.0;
        if (sd_advance(plant, (k + 1) * 0.0625) != SD_TIME_REACHED)
            break;
        printf("%a", sd_time(plant));
        for (size_t i = 0; i < sd_output_count(plant); i++)
            printf(" %a", sd_output(plant, i));
        printf("\n");
    }
    sd_close(plant);
    return 0;
}
