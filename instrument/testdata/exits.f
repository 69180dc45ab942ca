C     Fixed form, with everything in it that makes trouble.
      PROGRAM EXITS
      INTEGER EARLY, JUMPS, SHARED, K
      REAL HALF
      EXTERNAL EARLY, JUMPS, SHARED
      PRINT *, EARLY(3), EARLY(10)
      PRINT *, JUMPS(3), JUMPS(9)
      PRINT *, SHARED(4)
      K = 7
      CALL TABBED(K)
      PRINT *, K, HALF(3.0)
      CALL READER(K)
      IF (K .GT. 0) STOP 'DONE'                                         SEQ00001
      END

      INTEGER FUNCTION EARLY(N)
      INTEGER N, I, S
      S = 0
      DO 10 I = 1, N
        IF (I .EQ. 5) THEN
          EARLY = S
          RETURN
        ENDIF
        S = S + I
   10 CONTINUE
      EARLY = -S
      END

      INTEGER FUNCTION JUMPS(N)
      INTEGER N, I, J, S
      INTEGER SQ
C     a statement function
      SQ(I) = I*I
      S = 0
      DO I = 1, N
        DO J = 1, N
          IF (I*J .EQ. 12) GO TO 99
          IF (SQ(J) .GT. 70) GOTO 20
          IF (J .GT. I)
     &      EXIT
          S = S + 1
   20     CONTINUE
        END DO
      END DO
   99 DO WHILE (S .GT. 0)
        S = S - 7
        IF (S .EQ. 3) CYCLE
        IF (S .EQ. -5)                                                  SEQ00002
     1    GOTO 100
      ENDDO
  100 JUMPS = S
  200 RETURN
      END

      INTEGER FUNCTION SHARED(N)
      INTEGER N, I, J, K
      CHARACTER*40 T
      T = 'a constant that does not end on this line ! but
     & on this one'
      SHARED = 0
      DO 10 I = 1, N
      DO 10 J = 1, N
        DO 20, K = 1, N
   20     SHARED = SHARED + 1
        IF (J .EQ. 3) GOTO 10
        SHARED = SHARED + 1
   10 CONTINUE
      IF (SHARED .EQ. 0) GOTO 30
      SHARED = SHARED + LEN(T)
   30 END

      SUBROUTINE TABBED(K)
	INTEGER K, I
	DO 10 I=1,K
	  IF (I.GT.3) RETURN
	  K = K
     &	    + 1; IF (K.GT.1000) RETURN; K = K + 0
10	CONTINUE
	END

      REAL FUNCTION HALF(X)
      REAL X
* another comment
      HALF = X / 2
D     HALF = 0
      RETURN
      ENTRY THIRD(X)
      THIRD = X / 3
      END

      SUBROUTINE READER(K)
      INTEGER K, I, J, IOS
      CHARACTER*4 S
      S = '1 2'
      DO 10 I = 1, 3
        READ (S, *, END=50) J, K, IOS
   10 CONTINUE
   50 DO 60 I = 1, 3
        IF (I - 2) 60, 60, 70
   60 CONTINUE
   70 K = I
      END
