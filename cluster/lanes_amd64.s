#include "textflag.h"

// func compareAVX2(q, blocks *float64, dim, n int, bound float64, out *[64]float64) uint64
//
// Y0..Y3 hold the sums of the 16 points of a block, Y5..Y8 the differences in
// one coordinate; R10 collects the mask, R11 is where the block's bits go.
TEXT ·compareAVX2(SB), NOSPLIT, $0-56
	MOVQ         q+0(FP), SI
	MOVQ         blocks+8(FP), DI
	MOVQ         n+24(FP), R8
	VBROADCASTSD bound+32(FP), Y9
	MOVQ         out+40(FP), DX
	XORQ         R10, R10
	XORQ         R11, R11

block:
	MOVQ   SI, R9
	MOVQ   dim+16(FP), AX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3

coordinate:
	VBROADCASTSD (R9), Y4
	VSUBPD       (DI), Y4, Y5
	VSUBPD       32(DI), Y4, Y6
	VSUBPD       64(DI), Y4, Y7
	VSUBPD       96(DI), Y4, Y8
	VFMADD231PD  Y5, Y5, Y0
	VFMADD231PD  Y6, Y6, Y1
	VFMADD231PD  Y7, Y7, Y2
	VFMADD231PD  Y8, Y8, Y3
	ADDQ         $8, R9
	ADDQ         $128, DI
	DECQ         AX
	JNZ          coordinate

	VMOVUPD Y0, (DX)
	VMOVUPD Y1, 32(DX)
	VMOVUPD Y2, 64(DX)
	VMOVUPD Y3, 96(DX)
	ADDQ    $128, DX

	// One bit per sum that is at most bound (predicate 18: ordered, quiet).
	VCMPPD    $18, Y9, Y0, Y0
	VCMPPD    $18, Y9, Y1, Y1
	VCMPPD    $18, Y9, Y2, Y2
	VCMPPD    $18, Y9, Y3, Y3
	VMOVMSKPD Y0, AX
	VMOVMSKPD Y1, BX
	SHLQ      $4, BX
	ORQ       BX, AX
	VMOVMSKPD Y2, BX
	SHLQ      $8, BX
	ORQ       BX, AX
	VMOVMSKPD Y3, BX
	SHLQ      $12, BX
	ORQ       BX, AX
	MOVQ      R11, CX
	SHLQ      CX, AX
	ORQ       AX, R10
	ADDQ      $16, R11
	DECQ      R8
	JNZ       block

	VZEROUPPER
	MOVQ R10, ret+48(FP)
	RET

// func hasAVX2() bool
//
// The instructions have to be there (leaf 7, EBX bit 5; leaf 1, ECX bit 12) and
// the system has to save the wide registers (leaf 1, ECX bits 27 and 28; XCR0
// bits 1 and 2).
TEXT ·hasAVX2(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	XORL AX, AX
	CPUID
	CMPL AX, $7
	JLT  no
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $0x18001000, CX
	CMPL CX, $0x18001000
	JNE  no
	XORL CX, CX
	XGETBV
	ANDL $6, AX
	CMPL AX, $6
	JNE  no
	MOVL $7, AX
	XORL CX, CX
	CPUID
	SHRL $5, BX
	ANDL $1, BX
	MOVB BX, ret+0(FP)

no:
	RET
