// How names are shortened, without a browser: the functions of src/names.ts alone.
import assert from "node:assert/strict";
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { step } from "./harness.mjs";

const built = await build({ entryPoints: [fileURLToPath(new URL("../src/names.ts", import.meta.url))], bundle: true, format: "esm", write: false });
const { apart, brief } = await import("data:text/javascript;base64," + Buffer.from(built.outputFiles[0].text).toString("base64"));

const kernel = (n) => `void LAMMPS_NS::PairKokkos<LAMMPS_NS::PairLJCut${n}, Kokkos::View<double**, Kokkos::LayoutRight>>::compute_item<3, 1>(int const&, std::vector<double> const&) const::{lambda(int)#${n}}::operator()(int) const`;

step("a name that is too long keeps its function and loses types, then namespaces", async () => {
  const cases = [
    [kernel(3), 56, "LAMMPS_NS::PairKokkos<…>::compute_item<3, 1>::{lambda#3}"],
    [kernel(3), 32, "…compute_item<3, 1>::{lambda#3}"],
    ["std::vector<double, std::allocator<double>>& hydro::Solver<3>::step(double, std::function<void(int)>)", 32, "hydro::Solver<3>::step"],
    ["void (anonymous namespace)::softmax_warp_forward<float, float>(float*, float const*, int)", 40, "softmax_warp_forward<…>"],
    ["(anonymous namespace)::Foo::operator bool() const", 32, "Foo::operator bool"],
    ["Eigen::internal::product<Eigen::Matrix<double, -1>>::operator<<(int) [clone .constprop.0]", 40, "…operator<< [clone .constprop.0]"],
    ["__radiation_transport_module_MOD_compute_longwave_flux", 32, "…compute_longwave_flux"],
    ["radiation_transport_mp_compute_longwave_flux_", 32, "…compute_longwave_flux_"],
    // What is no signature stays as it is, or loses its middle.
    ["Memcpy HtoD (Pinned -> Device)", 32, "Memcpy HtoD (Pinned -> Device)"],
    ["Memcpy HtoD (Pinned -> Device)", 24, "Memcpy HtoD…d -> Device)"],
    ["torch/nn/modules/module.py(1501): _call_impl", 32, "torch/nn/modul…1501): _call_impl"],
    ["se btr vel", 32, "se btr vel"],
  ];
  for (const [name, most, want] of cases) {
    assert.equal(brief(name, most), want);
    assert.ok([...brief(name, most)].length <= most, name);
  }
  assert.equal(brief("void step(int)", 32), "void step(int)", "what fits is whole");
});

step("names of a list differ when they are shortened", async () => {
  const cut = (n) => `void pair<PairLJCut${n}, Kokkos::View<double**, Kokkos::LayoutRight>>::compute(int)`;
  const fortran = (n) => `__module_MOD_compute_${"x".repeat(80)}_${n}_subroutine_with_an_ending_that_is_the_same`;
  for (const name of [cut, fortran, kernel])
    for (const most of [14, 28, 56]) {
      const names = [3, 6, 9, 13, 16].map(name);
      assert.equal(new Set(apart(names, most)).size, names.length, apart(names, most).join("\n"));
    }
});
