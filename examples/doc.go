// Package examples holds small parallel programs in C, C++ and Fortran, each a
// folder with its source, a Makefile and a README.md, and profiles and
// platforms to try the commands on. The programs are there to be measured
// and diagnosed; the test beside this file builds and runs them.
package examples
