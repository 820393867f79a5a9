/* Assembly as codecs have it: labels without a size, and no entries in .eh_frame. It comes before the C part of the library. */
	.text
	.globl labelled
	.p2align 4
labelled:
	test %rdi, %rdi
	jz 2f
1:	imul $3, %rax, %rax
	add %rdi, %rax
	dec %rdi
	jnz 1b
	ret
2:	xor %eax, %eax
	ret

	.hidden quiet
	.globl quiet
	.p2align 4
quiet:
	imul $5, %rax, %rax
	add %rdi, %rax
	dec %rdi
	jnz quiet
	ret

	.section .note.GNU-stack, "", %progbits
