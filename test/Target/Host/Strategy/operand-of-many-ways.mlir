// RUN: tensor-opt %s --kernel-schedule="machine=host" | FileCheck %s

// What an operand is computed from is looked at once, not along each of 2^60 ways: a list comes at once.
// CHECK: tkernel.schedule<[
func.func @doubles(%arg0: tensor<32x48xf32>, %arg1: tensor<48x64xf32>) -> tensor<32x64xf32> {
  %0 = tkernel.kernel (%i : 32, %j : 64, %k : 48) reads(%a = %arg0 : tensor<32x48xf32>, %b = %arg1 : tensor<48x64xf32>) -> tensor<32x64xf32> {
    %v0 = tkernel.load %a[%i, %k] : tensor<32x48xf32>
    %v1 = arith.addf %v0, %v0 : f32
    %v2 = arith.addf %v1, %v1 : f32
    %v3 = arith.addf %v2, %v2 : f32
    %v4 = arith.addf %v3, %v3 : f32
    %v5 = arith.addf %v4, %v4 : f32
    %v6 = arith.addf %v5, %v5 : f32
    %v7 = arith.addf %v6, %v6 : f32
    %v8 = arith.addf %v7, %v7 : f32
    %v9 = arith.addf %v8, %v8 : f32
    %v10 = arith.addf %v9, %v9 : f32
    %v11 = arith.addf %v10, %v10 : f32
    %v12 = arith.addf %v11, %v11 : f32
    %v13 = arith.addf %v12, %v12 : f32
    %v14 = arith.addf %v13, %v13 : f32
    %v15 = arith.addf %v14, %v14 : f32
    %v16 = arith.addf %v15, %v15 : f32
    %v17 = arith.addf %v16, %v16 : f32
    %v18 = arith.addf %v17, %v17 : f32
    %v19 = arith.addf %v18, %v18 : f32
    %v20 = arith.addf %v19, %v19 : f32
    %v21 = arith.addf %v20, %v20 : f32
    %v22 = arith.addf %v21, %v21 : f32
    %v23 = arith.addf %v22, %v22 : f32
    %v24 = arith.addf %v23, %v23 : f32
    %v25 = arith.addf %v24, %v24 : f32
    %v26 = arith.addf %v25, %v25 : f32
    %v27 = arith.addf %v26, %v26 : f32
    %v28 = arith.addf %v27, %v27 : f32
    %v29 = arith.addf %v28, %v28 : f32
    %v30 = arith.addf %v29, %v29 : f32
    %v31 = arith.addf %v30, %v30 : f32
    %v32 = arith.addf %v31, %v31 : f32
    %v33 = arith.addf %v32, %v32 : f32
    %v34 = arith.addf %v33, %v33 : f32
    %v35 = arith.addf %v34, %v34 : f32
    %v36 = arith.addf %v35, %v35 : f32
    %v37 = arith.addf %v36, %v36 : f32
    %v38 = arith.addf %v37, %v37 : f32
    %v39 = arith.addf %v38, %v38 : f32
    %v40 = arith.addf %v39, %v39 : f32
    %v41 = arith.addf %v40, %v40 : f32
    %v42 = arith.addf %v41, %v41 : f32
    %v43 = arith.addf %v42, %v42 : f32
    %v44 = arith.addf %v43, %v43 : f32
    %v45 = arith.addf %v44, %v44 : f32
    %v46 = arith.addf %v45, %v45 : f32
    %v47 = arith.addf %v46, %v46 : f32
    %v48 = arith.addf %v47, %v47 : f32
    %v49 = arith.addf %v48, %v48 : f32
    %v50 = arith.addf %v49, %v49 : f32
    %v51 = arith.addf %v50, %v50 : f32
    %v52 = arith.addf %v51, %v51 : f32
    %v53 = arith.addf %v52, %v52 : f32
    %v54 = arith.addf %v53, %v53 : f32
    %v55 = arith.addf %v54, %v54 : f32
    %v56 = arith.addf %v55, %v55 : f32
    %v57 = arith.addf %v56, %v56 : f32
    %v58 = arith.addf %v57, %v57 : f32
    %v59 = arith.addf %v58, %v58 : f32
    %v60 = arith.addf %v59, %v59 : f32
    %w = tkernel.load %b[%k, %j] : tensor<48x64xf32>
    %s = tkernel.contract %v60, %w over(%k) : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %0 : tensor<32x64xf32>
}
