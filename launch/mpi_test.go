package launch

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ringC passes messages round a ring, ten times 100 doubles, and reduces.
const ringC = `#include <mpi.h>
#include <stdio.h>

static double spin(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += i * 0.5;
        s *= 0.999;
    }
    return s;
}

static void exchange(double *a, double *b, int to, int from)
{
    MPI_Request r[2];
    MPI_Irecv(b, 200, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(a, 100, MPI_DOUBLE, to, 7, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size;
    double a[100], b[200], s, total;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 100; i++)
        a[i] = rank + i;
    s = spin(100000 * (rank + 1));
    for (int i = 0; i < 10; i++) {
        exchange(a, b, (rank + 1) % size, (rank + size - 1) % size);
        s += b[i];
    }
    MPI_Bcast(a, 50, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&s, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(a, 2, MPI_INT, b, 2, MPI_INT, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(a, 3, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(a, 8, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("total %.6f\n", total);
    MPI_Finalize();
    return 0;
}
`

func TestRingC(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"ring.c": ringC})
		exe := filepath.Join(dir, "ring")
		mustCompile(t, m.cc, "-std=c99", "-O2", "-Wno-stringop-overflow", filepath.Join(dir, "ring.c"), "-o", exe)
		alone := m.ranks("3", exe)
		want, err := exec.Command(alone[0], alone[1:]...).Output()
		if err != nil {
			t.Fatalf("by itself: %v", err)
		}
		r, out := measure(t, m.ranks("3", exe)...)
		if out != string(want) || !strings.HasPrefix(out, "total ") || r.Status != 0 {
			t.Errorf("status %d, printed %q, want %q", r.Status, out, want)
		}
		e := r.Experiment
		if e.Incomplete != "" || len(e.Units) != 3 {
			t.Errorf("%d units, incomplete: %q", len(e.Units), e.Incomplete)
		}
		for rank := range 3 {
			expect(t, e, rank, "ring/main", map[string]float64{"calls": 1})
			expect(t, e, rank, "exchange", map[string]float64{"calls": 10})
			expect(t, e, rank, "spin/loop@7", map[string]float64{"calls": 1, "iterations": float64(100000 * (rank + 1))})
			expect(t, e, rank, "exchange/MPI_Isend", map[string]float64{"calls": 10, "messages": 10, "bytes_sent": 8000, "bytes_received": 0})
			expect(t, e, rank, "exchange/MPI_Irecv", map[string]float64{"calls": 10, "bytes_received": 0})
			expect(t, e, rank, "exchange/MPI_Waitall", map[string]float64{"calls": 10, "bytes_received": 8000})
			expect(t, e, rank, "MPI_Bcast", map[string]float64{"collective_bytes": 200})
			expect(t, e, rank, "MPI_Allreduce", map[string]float64{"collective_bytes": 8})
			expect(t, e, rank, "MPI_Alltoall", map[string]float64{"collective_bytes": 24})
			if wall, mpi := value(t, e, rank, 0, "MPI_Init", "wtime"), value(t, e, rank, 0, "MPI_Init", "mpi_time"); wall <= 0 || wall != mpi {
				t.Errorf("MPI_Init took %g s, of that %g in MPI", wall, mpi)
			}
			if wall, cpu := value(t, e, rank, 0, "spin/loop@7", "wtime"), value(t, e, rank, 0, "spin/loop@7", "cpu_time"); cpu > wall*1.0001 || cpu <= 0 {
				t.Errorf("the loop took %g s of wall and %g s of CPU time", wall, cpu)
			}
		}
		expect(t, e, 0, "MPI_Send", map[string]float64{"bytes_sent": 3})
		expect(t, e, 1, "MPI_Recv", map[string]float64{"bytes_received": 3})
		if f, ok := e.Factor("ranks"); !ok || f.Number != 3 {
			t.Errorf("ranks %v", f)
		}
		if f, ok := e.Factor("mpi"); !ok || !strings.HasPrefix(f.Word, m.name) {
			t.Errorf("mpi %q", f.Word)
		}
		if f, _ := e.Factor("flags"); !strings.Contains(f.Word, "-O2") {
			t.Errorf("flags %q", f.Word)
		}
	})
}

// ringFortran is a program in each of the three ways to speak MPI in Fortran.
func ringFortran(use, request string) string {
	return `program ring
` + use + `
  integer :: rank, nranks, ierr, i, to, from
  ` + request + ` :: r(2)
  double precision :: a(100), b(100), s, total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  a = rank
  s = 0
  to = mod(rank + 1, nranks)
  from = mod(rank + nranks - 1, nranks)
  do i = 1, 10
    call MPI_Irecv(b, 100, MPI_DOUBLE_PRECISION, from, 7, MPI_COMM_WORLD, r(1), ierr)
    call MPI_Isend(a, 100, MPI_DOUBLE_PRECISION, to, 7, MPI_COMM_WORLD, r(2), ierr)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    s = s + b(i)
  end do
  call MPI_Allreduce(s, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) call MPI_Send(a, 5, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Recv(a, 5, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  if (rank == 0) print '(a,f8.1)', 'total', total
  call MPI_Finalize(ierr)
end program ring
`
}

func fortranPrograms() map[string]string {
	return map[string]string{
		"mpif.h":  ringFortran("  implicit none\n  include 'mpif.h'", "integer"),
		"mpi":     ringFortran("  use mpi\n  implicit none", "integer"),
		"mpi_f08": ringFortran("  use mpi_f08\n  implicit none", "type(MPI_Request)"),
	}
}

func TestRingFortran(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		need(t, m.fc)
		for name, text := range fortranPrograms() {
			t.Run(name, func(t *testing.T) {
				dir := write(t, map[string]string{"ring.f90": text})
				exe := filepath.Join(dir, "ring")
				mustCompile(t, m.fc, "-O2", filepath.Join(dir, "ring.f90"), "-o", exe)
				r, out := measure(t, m.ranks("2", exe)...)
				if strings.TrimSpace(out) != "total    10.0" || r.Status != 0 {
					t.Fatalf("status %d, printed %q", r.Status, out)
				}
				e := r.Experiment
				for rank := range 2 {
					expect(t, e, rank, "MPI_Isend", map[string]float64{"calls": 10, "messages": 10, "bytes_sent": 8000})
					expect(t, e, rank, "MPI_Irecv", map[string]float64{"calls": 10})
					expect(t, e, rank, "MPI_Waitall", map[string]float64{"calls": 10, "bytes_received": 8000})
					expect(t, e, rank, "MPI_Allreduce", map[string]float64{"calls": 1, "collective_bytes": 8})
				}
				expect(t, e, 0, "MPI_Send", map[string]float64{"bytes_sent": 40})
				expect(t, e, 1, "MPI_Recv", map[string]float64{"bytes_received": 40})
			})
		}
	})
}
