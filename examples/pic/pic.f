C     A plasma in a periodic box, particle in cell, three dimensions.
C
C     Two beams of electrons run through each other over a fixed
C     background of ions.  In every step the charge of the particles is
C     spread over the grid, the potential is found by sweeps over slabs
C     of the grid, and the field moves the particles.  Each rank has a
C     share of the particles and a slab of the grid.
C
C     Charges are spread in whole parts (PARTS to a particle), so their
C     sums are exact in whatever order they are taken, and the result
C     does not depend on the number of ranks.
C
C        pic [particles [steps]]
C
      PROGRAM PIC
      INCLUDE 'pic.inc'
      INCLUDE 'mpif.h'
      INTEGER NPART, NSTEPS, ISTEP, IERR, ISTAT
      DOUBLE PRECISION TSTART, EKIN, EFLD, ETOT0, ETOT
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, IRANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, NRANKS, IERR)
      CALL OPTION(1, 400000, NPART)
      CALL OPTION(2, 20, NSTEPS)
      IF (NPART .LT. 1 .OR. NSTEPS .LT. 1 .OR. NRANKS .GT. NG
     &    .OR. NPART/NRANKS .GE. MAXP) THEN
         IF (IRANK .EQ. 0) WRITE (*,900) MAXP, NG
         CALL MPI_FINALIZE(IERR)
         STOP 2
      END IF
      CALL SLABS
      CALL LOADP(NPART)
      TSTART = MPI_WTIME()
      ISTAT = 0
      ETOT0 = 0.0D0
      ETOT = 0.0D0
      DO 10 ISTEP = 1, NSTEPS
         CALL DEPOS(NPART, ISTAT)
         CALL SOLVE
         CALL EFIELD
         CALL PUSH
         CALL ENERGY(NPART, EKIN, EFLD)
         ETOT = EKIN + EFLD
         IF (ISTEP .EQ. 1) ETOT0 = ETOT
   10 CONTINUE
      CALL FINISH(NPART, NSTEPS, ETOT, ETOT0, TSTART, ISTAT)
      CALL MPI_FINALIZE(IERR)
      IF (ISTAT .NE. 0) STOP 1
  900 FORMAT ('usage: pic [particles [steps]], fewer than ', I8,
     &        ' particles a rank, at most ', I3, ' ranks')
      END
C
C     A number of the command line, or what it is without.
C
      SUBROUTINE OPTION(IPLACE, IDEFLT, IVALUE)
      INTEGER IPLACE, IDEFLT, IVALUE
      CHARACTER*32 TEXT
      IVALUE = IDEFLT
      IF (IPLACE .GT. IARGC()) RETURN
      CALL GETARG(IPLACE, TEXT)
      READ (TEXT, *, ERR=20) IVALUE
      RETURN
   20 IVALUE = 0
      RETURN
      END
C
C     The planes of the grid are dealt out in slabs.
C
      SUBROUTINE SLABS
      INCLUDE 'pic.inc'
      INTEGER I, J, K
      DO 30 I = 1, NRANKS
         KAT(I) = NG*(I - 1)/NRANKS*NG*NG
         KCOUNT(I) = NG*I/NRANKS*NG*NG - KAT(I)
   30 CONTINUE
      K1 = NG*IRANK/NRANKS + 1
      K2 = NG*(IRANK + 1)/NRANKS
      DO 40 K = 1, NG
      DO 40 J = 1, NG
      DO 40 I = 1, NG
         PHI(I,J,K) = 0.0D0
         PNEW(I,J,K) = 0.0D0
   40 CONTINUE
      RETURN
      END
C
C     Particles fill the box evenly: multiples of three irrational
C     numbers, cut to their fraction.  Every other one belongs to the
C     second beam.  The beams are bunched a little, or nothing would
C     ever happen.
C
      SUBROUTINE LOADP(NPART)
      INCLUDE 'pic.inc'
      INTEGER NPART, IFIRST, I
      DOUBLE PRECISION Q, TWOPI
      PARAMETER (TWOPI = 6.28318530717959D0)
      IFIRST = INT(DBLE(NPART)*IRANK/NRANKS)
      NP = INT(DBLE(NPART)*(IRANK + 1)/NRANKS) - IFIRST
      DO 50 I = 1, NP
         Q = DBLE(IFIRST + I)
         X(I) = NG*DMOD(Q*0.8191725133961645D0, 1.0D0)
         Y(I) = NG*DMOD(Q*0.6710436067037893D0, 1.0D0)
         Z(I) = NG*DMOD(Q*0.5497004779019703D0, 1.0D0)
         VX(I) = 0.1D0
         IF (MOD(IFIRST + I, 2) .EQ. 0) VX(I) = -0.1D0
         VX(I) = VX(I) + 0.005D0*DSIN(3*TWOPI*X(I)/NG)
         VY(I) = 0.0D0
         VZ(I) = 0.0D0
   50 CONTINUE
      RETURN
      END
C
C     The charge of every particle goes to the eight corners of its
C     cell.  The last corner takes what rounding left, so that nothing
C     is lost; ISTAT says if something was all the same.
C
      SUBROUTINE DEPOS(NPART, ISTAT)
      INCLUDE 'pic.inc'
      INCLUDE 'mpif.h'
      INTEGER NPART, ISTAT, N, I, J, K, L, I1, J1, M1, IERR
      DOUBLE PRECISION FX, FY, FZ, W(7), REST, TOTAL
      DO 60 K = 1, NG
      DO 60 J = 1, NG
      DO 60 I = 1, NG
         RHOLOC(I,J,K) = 0.0D0
   60 CONTINUE
      DO 80 N = 1, NP
         I = MIN(INT(X(N)), NG - 1) + 1
         J = MIN(INT(Y(N)), NG - 1) + 1
         K = MIN(INT(Z(N)), NG - 1) + 1
         I1 = MOD(I, NG) + 1
         J1 = MOD(J, NG) + 1
         M1 = MOD(K, NG) + 1
         FX = X(N) - (I - 1)
         FY = Y(N) - (J - 1)
         FZ = Z(N) - (K - 1)
         W(1) = (1.0D0 - FX)*(1.0D0 - FY)*(1.0D0 - FZ)
         W(2) = FX*(1.0D0 - FY)*(1.0D0 - FZ)
         W(3) = (1.0D0 - FX)*FY*(1.0D0 - FZ)
         W(4) = FX*FY*(1.0D0 - FZ)
         W(5) = (1.0D0 - FX)*(1.0D0 - FY)*FZ
         W(6) = FX*(1.0D0 - FY)*FZ
         W(7) = (1.0D0 - FX)*FY*FZ
         REST = PARTS
         DO 70 L = 1, 7
            W(L) = DINT(W(L)*PARTS)
            REST = REST - W(L)
   70    CONTINUE
         RHOLOC(I,J,K) = RHOLOC(I,J,K) + W(1)
         RHOLOC(I1,J,K) = RHOLOC(I1,J,K) + W(2)
         RHOLOC(I,J1,K) = RHOLOC(I,J1,K) + W(3)
         RHOLOC(I1,J1,K) = RHOLOC(I1,J1,K) + W(4)
         RHOLOC(I,J,M1) = RHOLOC(I,J,M1) + W(5)
         RHOLOC(I1,J,M1) = RHOLOC(I1,J,M1) + W(6)
         RHOLOC(I,J1,M1) = RHOLOC(I,J1,M1) + W(7)
         RHOLOC(I1,J1,M1) = RHOLOC(I1,J1,M1) + REST
   80 CONTINUE
      CALL MPI_ALLREDUCE(RHOLOC, RHO, NG*NG*NG, MPI_DOUBLE_PRECISION,
     &                   MPI_SUM, MPI_COMM_WORLD, IERR)
      TOTAL = 0.0D0
      DO 90 K = 1, NG
      DO 90 J = 1, NG
      DO 90 I = 1, NG
         TOTAL = TOTAL + RHO(I,J,K)
   90 CONTINUE
      IF (TOTAL .NE. DBLE(NPART)*PARTS) ISTAT = 1
C     One part per cell is the background; the sign is the electron's.
      DO 95 K = 1, NG
      DO 95 J = 1, NG
      DO 95 I = 1, NG
         RHO(I,J,K) = OMEGA2*(1.0D0 - RHO(I,J,K)*(NG**3/TOTAL))
   95 CONTINUE
      RETURN
      END
C
C     Poisson's equation: NSWEEP sweeps, from the last step's potential.
C     Every rank sweeps its slab and then learns the others'.
C
      SUBROUTINE SOLVE
      INCLUDE 'pic.inc'
      INCLUDE 'mpif.h'
      INTEGER ISWEEP, I, J, K, IW, IE, JS, JN, KD, KU, IERR
      DO 130 ISWEEP = 1, NSWEEP
         CALL HALO
         DO 110 K = K1, K2
            KD = MOD(K + NG - 2, NG) + 1
            KU = MOD(K, NG) + 1
            DO 110 J = 1, NG
               JS = MOD(J + NG - 2, NG) + 1
               JN = MOD(J, NG) + 1
               DO 100 I = 1, NG
                  IW = MOD(I + NG - 2, NG) + 1
                  IE = MOD(I, NG) + 1
                  PNEW(I,J,K) = (PHI(IW,J,K) + PHI(IE,J,K)
     &                         + PHI(I,JS,K) + PHI(I,JN,K)
     &                         + PHI(I,J,KD) + PHI(I,J,KU)
     &                         + RHO(I,J,K))/6.0D0
  100          CONTINUE
  110    CONTINUE
         DO 120 K = K1, K2
         DO 120 J = 1, NG
         DO 120 I = 1, NG
            PHI(I,J,K) = PNEW(I,J,K)
  120    CONTINUE
  130 CONTINUE
      CALL MPI_ALLGATHERV(PNEW(1,1,K1), KCOUNT(IRANK+1),
     &     MPI_DOUBLE_PRECISION, PHI, KCOUNT, KAT,
     &     MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, IERR)
      RETURN
      END
C
C     The planes beside the slab come from the ranks beside this one.
C
      SUBROUTINE HALO
      INCLUDE 'pic.inc'
      INCLUDE 'mpif.h'
      INTEGER IUP, IDOWN, KD, KU, IERR, ISTATS(MPI_STATUS_SIZE)
      IF (NRANKS .EQ. 1) RETURN
      IUP = MOD(IRANK + 1, NRANKS)
      IDOWN = MOD(IRANK + NRANKS - 1, NRANKS)
      KD = MOD(K1 + NG - 2, NG) + 1
      KU = MOD(K2, NG) + 1
      CALL MPI_SENDRECV(PHI(1,1,K2), NG*NG, MPI_DOUBLE_PRECISION, IUP,
     &     1, PHI(1,1,KD), NG*NG, MPI_DOUBLE_PRECISION, IDOWN, 1,
     &     MPI_COMM_WORLD, ISTATS, IERR)
      CALL MPI_SENDRECV(PHI(1,1,K1), NG*NG, MPI_DOUBLE_PRECISION,
     &     IDOWN, 2, PHI(1,1,KU), NG*NG, MPI_DOUBLE_PRECISION, IUP, 2,
     &     MPI_COMM_WORLD, ISTATS, IERR)
      RETURN
      END
C
C     The field is the slope of the potential.
C
      SUBROUTINE EFIELD
      INCLUDE 'pic.inc'
      INTEGER I, J, K, IW, IE, JS, JN, KD, KU
      DO 140 K = 1, NG
         KD = MOD(K + NG - 2, NG) + 1
         KU = MOD(K, NG) + 1
         DO 140 J = 1, NG
            JS = MOD(J + NG - 2, NG) + 1
            JN = MOD(J, NG) + 1
            DO 140 I = 1, NG
               IW = MOD(I + NG - 2, NG) + 1
               IE = MOD(I, NG) + 1
               EX(I,J,K) = 0.5D0*(PHI(IW,J,K) - PHI(IE,J,K))
               EY(I,J,K) = 0.5D0*(PHI(I,JS,K) - PHI(I,JN,K))
               EZ(I,J,K) = 0.5D0*(PHI(I,J,KD) - PHI(I,J,KU))
  140 CONTINUE
      RETURN
      END
C
C     Field to particles, particles along.  What leaves the box comes in
C     on the other side.
C
      SUBROUTINE PUSH
      INCLUDE 'pic.inc'
      INTEGER N, I, J, K, I1, J1, M1
      DOUBLE PRECISION FX, FY, FZ, AX, AY, AZ, WRAP, MIX
      EXTERNAL WRAP, MIX
      DO 150 N = 1, NP
         I = MIN(INT(X(N)), NG - 1) + 1
         J = MIN(INT(Y(N)), NG - 1) + 1
         K = MIN(INT(Z(N)), NG - 1) + 1
         I1 = MOD(I, NG) + 1
         J1 = MOD(J, NG) + 1
         M1 = MOD(K, NG) + 1
         FX = X(N) - (I - 1)
         FY = Y(N) - (J - 1)
         FZ = Z(N) - (K - 1)
         AX = MIX(EX(1,1,K), I, I1, J, J1, FX, FY)*(1.0D0 - FZ)
     &      + MIX(EX(1,1,M1), I, I1, J, J1, FX, FY)*FZ
         AY = MIX(EY(1,1,K), I, I1, J, J1, FX, FY)*(1.0D0 - FZ)
     &      + MIX(EY(1,1,M1), I, I1, J, J1, FX, FY)*FZ
         AZ = MIX(EZ(1,1,K), I, I1, J, J1, FX, FY)*(1.0D0 - FZ)
     &      + MIX(EZ(1,1,M1), I, I1, J, J1, FX, FY)*FZ
         VX(N) = VX(N) - AX*DT
         VY(N) = VY(N) - AY*DT
         VZ(N) = VZ(N) - AZ*DT
         X(N) = WRAP(X(N) + VX(N)*DT)
         Y(N) = WRAP(Y(N) + VY(N)*DT)
         Z(N) = WRAP(Z(N) + VZ(N)*DT)
  150 CONTINUE
      RETURN
      END
C
C     Between four corners of a cell, in one plane.
C
      DOUBLE PRECISION FUNCTION MIX(A, I, I1, J, J1, FX, FY)
      INCLUDE 'pic.inc'
      DOUBLE PRECISION A(NG,NG), FX, FY
      INTEGER I, I1, J, J1
      MIX = (A(I,J)*(1.0D0 - FX) + A(I1,J)*FX)*(1.0D0 - FY)
     &    + (A(I,J1)*(1.0D0 - FX) + A(I1,J1)*FX)*FY
      END
C
      DOUBLE PRECISION FUNCTION WRAP(P)
      INCLUDE 'pic.inc'
      DOUBLE PRECISION P
      WRAP = DMOD(P + NG, DBLE(NG))
      END
C
C     Energy of motion and of the field, per particle, in whole parts.
C
      SUBROUTINE ENERGY(NPART, EKIN, EFLD)
      INCLUDE 'pic.inc'
      INCLUDE 'mpif.h'
      INTEGER NPART, N, I, J, K, IERR
      DOUBLE PRECISION EKIN, EFLD, MINE(2), ALL(2)
      MINE(1) = 0.0D0
      MINE(2) = 0.0D0
      DO 160 N = 1, NP
         MINE(1) = MINE(1)
     &      + DNINT((VX(N)**2 + VY(N)**2 + VZ(N)**2)*1.0D9)
  160 CONTINUE
      DO 170 K = K1, K2
      DO 170 J = 1, NG
      DO 170 I = 1, NG
         MINE(2) = MINE(2) + DNINT(RHO(I,J,K)*PHI(I,J,K)*1.0D9)
  170 CONTINUE
      CALL MPI_ALLREDUCE(MINE, ALL, 2, MPI_DOUBLE_PRECISION, MPI_SUM,
     &                   MPI_COMM_WORLD, IERR)
      EKIN = 0.5D-9*ALL(1)/NPART
      EFLD = 0.5D-9*ALL(2)/(OMEGA2*NG**3)
      RETURN
      END
C
C     The result: places and speeds of all particles as two sums of
C     whole numbers.  Charge must be there to the last part, energy but
C     for a quarter (the grid is coarse for the swirls the beams end
C     in), and the beams must not have been pushed as a whole.
C
      SUBROUTINE FINISH(NPART, NSTEPS, ETOT, ETOT0, TSTART, ISTAT)
      INCLUDE 'pic.inc'
      INCLUDE 'mpif.h'
      INTEGER NPART, NSTEPS, ISTAT, N, IERR
      DOUBLE PRECISION ETOT, ETOT0, TSTART, MINE(3), ALL(3)
      MINE(1) = 0.0D0
      MINE(2) = 0.0D0
      MINE(3) = 0.0D0
      DO 180 N = 1, NP
         MINE(1) = MINE(1) + DNINT((X(N) + 2*Y(N) + 3*Z(N))*1.0D4)
         MINE(2) = MINE(2) + DNINT((VX(N)**2 + VY(N)**2
     &      + VZ(N)**2)*1.0D6)
         MINE(3) = MINE(3) + DNINT(VX(N)*1.0D6)
  180 CONTINUE
      CALL MPI_ALLREDUCE(MINE, ALL, 3, MPI_DOUBLE_PRECISION, MPI_SUM,
     &                   MPI_COMM_WORLD, IERR)
      IF (DABS(ALL(3)) .GT. 1.0D3*NPART) ISTAT = 1
      IF (.NOT. DABS(ETOT - ETOT0) .LT. 0.25D0*ETOT0) ISTAT = 1
      IF (IRANK .EQ. 0) THEN
         WRITE (*,910) NPART, NG, NG, NG, NSTEPS, NRANKS
         WRITE (*,920) ETOT0, ETOT
         WRITE (*,930) ALL(1), ALL(2)
         WRITE (*,940) MPI_WTIME() - TSTART
      END IF
  910 FORMAT ('pic: ', I8, ' particles, ', I2, ' x ', I2, ' x ', I2,
     &        ' cells, ', I5, ' steps, ', I2, ' ranks')
  920 FORMAT ('energy per particle ', F9.6, ', at the end ', F9.6)
  930 FORMAT ('checksum ', 1P, E14.8, 1X, E14.8)
  940 FORMAT ('time ', F9.3, ' s')
      RETURN
      END
