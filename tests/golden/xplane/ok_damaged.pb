
	/host:CPUpython
š/device:GPU:1–Stream #17(Kernel,MemcpyH2D)ÐÛ:"$€¶Ü€´‰"*"8"8"8"J€ŽÎÀ–±"<*8kind_src:pinned kind_dst:device size:4096 dest:0 async:1"
fusion"	MemcpyH2D*correlation_id*
hlo_op*fusion.1*
hlo_module*	jit_f*kernel_details*ZVR regs:32 static_shared:16 dynamic_shared:1024 grid:16,2,1 block:512,1,1 occ_pct:75*memcpy_details*		device_vendor*


clock_rate*memory_bandwidth2
	*Nvidia2
  ág2	€à¼ï§W"host-a