/* What is done at every sample lies together: on a virtual machine a page of code that
 * is not in the caches costs as much as a thousand instructions. */
#ifndef AUSPEX_SAMPLED_H
#define AUSPEX_SAMPLED_H
#define SAMPLED __attribute__((hot))
#endif
