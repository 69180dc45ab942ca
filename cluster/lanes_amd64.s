#include "textflag.h"

// func compareAVX2(q, block *float64, dim int, bound float64, out *[16]float64) uint32
//
// Y0..Y3 hold the sums of 16 points, Y5..Y8 the differences of one coordinate.
TEXT ·compareAVX2(SB), NOSPLIT, $0-44
	MOVQ   q+0(FP), SI
	MOVQ   block+8(FP), DI
	MOVQ   dim+16(FP), CX
	MOVQ   out+32(FP), DX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3

coordinate:
	VBROADCASTSD (SI), Y4
	VSUBPD       (DI), Y4, Y5
	VSUBPD       32(DI), Y4, Y6
	VSUBPD       64(DI), Y4, Y7
	VSUBPD       96(DI), Y4, Y8
	VMULPD       Y5, Y5, Y5
	VMULPD       Y6, Y6, Y6
	VMULPD       Y7, Y7, Y7
	VMULPD       Y8, Y8, Y8
	VADDPD       Y5, Y0, Y0
	VADDPD       Y6, Y1, Y1
	VADDPD       Y7, Y2, Y2
	VADDPD       Y8, Y3, Y3
	ADDQ         $8, SI
	ADDQ         $128, DI
	DECQ         CX
	JNZ          coordinate

	VMOVUPD Y0, (DX)
	VMOVUPD Y1, 32(DX)
	VMOVUPD Y2, 64(DX)
	VMOVUPD Y3, 96(DX)

	// One bit per sum that is at most bound (predicate 18: ordered, quiet).
	VBROADCASTSD bound+24(FP), Y4
	VCMPPD       $18, Y4, Y0, Y0
	VCMPPD       $18, Y4, Y1, Y1
	VCMPPD       $18, Y4, Y2, Y2
	VCMPPD       $18, Y4, Y3, Y3
	VMOVMSKPD    Y0, AX
	VMOVMSKPD    Y1, BX
	SHLL         $4, BX
	ORL          BX, AX
	VMOVMSKPD    Y2, BX
	SHLL         $8, BX
	ORL          BX, AX
	VMOVMSKPD    Y3, BX
	SHLL         $12, BX
	ORL          BX, AX
	VZEROUPPER
	MOVL         AX, ret+40(FP)
	RET

// func hasAVX2() bool
//
// AVX2 needs the instruction (leaf 7, EBX bit 5) and a system that saves the
// wide registers (leaf 1, ECX bits 27 and 28; XCR0 bits 1 and 2).
TEXT ·hasAVX2(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	XORL AX, AX
	CPUID
	CMPL AX, $7
	JLT  no
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $0x18000000, CX
	CMPL CX, $0x18000000
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
