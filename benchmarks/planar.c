/* The textbook's two-link solution with arccos and atan2, one target after the other. */
#include <math.h>

void solve(long count, double first, double second, const double *targets, double *angles)
{
    for (long i = 0; i < count; i++) {
        double x = targets[2 * i], y = targets[2 * i + 1];
        double cosine = (x * x + y * y - first * first - second * second) / (2 * first * second);
        double hinge = acos(fmin(fmax(cosine, -1), 1));
        angles[2 * i] = atan2(y, x) - atan2(second * sin(hinge), first + second * cos(hinge));
        angles[2 * i + 1] = hinge;
    }
}
