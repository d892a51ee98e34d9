//! Modules: names and who may use them, parameters, instances that are independent of each other.

use crate::support;
use std::rc::Rc;

use crate::support::front::{checked, errors};
use orbitscope::eval::Evaluator;
use orbitscope::script::Checked;
use orbitscope::script::core::GlobalId;
use orbitscope::script::symmetric::{self, Trust};
use orbitscope::source::{Cancel, Diagnostic, Limits};
use orbitscope::symmetry::StrategyKind;

#[track_caller]
fn fine(text: &str) -> Checked {
    let checked = checked(text);
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    checked
}

/// The one error: its code, the text it points at, and the texts that its labels point at.
#[track_caller]
fn one_error(text: &str, code: &str, at: &str, also: &[&str]) -> Diagnostic {
    let checked = checked(text);
    let found = errors(&checked);
    let shown = |s| checked.script.sources.text(s).to_owned();
    let [d] = found[..] else {
        panic!("{found:?}");
    };
    assert_eq!((d.code, d.span.map(shown)), (code, Some(at.to_owned())));
    let labels: Vec<String> = d.labels.iter().map(|l| shown(l.span)).collect();
    assert_eq!(labels, also);
    d.clone()
}

/// Evaluates expressions over a script and compares them as they are shown.
#[track_caller]
fn values(text: &str, expected: &[(&str, &str)]) {
    let prints: Vec<String> = expected.iter().map(|(e, _)| format!("print {e}")).collect();
    let script = Rc::new(fine(&format!("{text}\n{}\n", prints.join("\n"))).script);
    let mut e = Evaluator::new(Rc::clone(&script), &Limits::default(), Cancel::default());
    for (print, (text, value)) in script.prints.iter().zip(expected) {
        let v = e
            .evaluate(print)
            .unwrap_or_else(|d| panic!("{text}: {d:?}"));
        assert_eq!(e.show(v), *value, "{text}");
    }
}

/// Verdict and number of states of the first assertion.
fn searched(name: &str, text: &str, symmetry: Option<bool>) -> (String, u64) {
    let loaded = support::sound(&support::script(name, text));
    let options = support::unmerged(support::options(symmetry, StrategyKind::default(), 1));
    let outcome = support::check(&loaded, 1, &options);
    (support::verdict(&outcome), support::counts(&outcome).0)
}

fn type_of(checked: &Checked, name: &str) -> String {
    let at = checked.script.globals.iter().position(|g| &*g.name == name);
    checked.types.show(GlobalId(at.expect("defined") as u32))
}

// ------------------------------------------------------------------------------- plain modules

#[test]
fn exported_names_are_used_by_path() {
    let text = "module M\n  g = 4\nexports\n  f(x) = x + g\n  y = f(1)\nendmodule\nz = M::f(M::y)";
    values(text, &[("z", "9"), ("M::y", "5")]);
}

#[test]
fn modules_nest_and_see_what_is_around_them() {
    let text = "n = 1\nmodule A\n  k = n + 1\nexports\n  module B\n    p = k\n  exports\n    x = (p, n)\n  endmodule\n  y = B::x\nendmodule\nz = (A::B::x, A::y)";
    values(text, &[("z", "((2, 1), (2, 1))")]);
}

#[test]
fn inner_names_shadow_outer_ones() {
    let text = "x = 1\nmodule M\n  x = 2\nexports\n  y = x\nendmodule\nz = (x, M::y)";
    values(text, &[("z", "(1, 2)")]);
}

#[test]
fn definitions_may_refer_to_modules_that_follow() {
    values(
        "a = M::b\nmodule M\nexports\n  b = c\nendmodule\nc = 7",
        &[("a", "7")],
    );
}

#[test]
fn private_names_stay_inside() {
    let text = "module M\n  secret = 4\nexports\n  open = secret\nendmodule\nz = M::secret";
    let d = one_error(text, "E0219", "M::secret", &["secret"]);
    assert_eq!(d.message, "`secret` is not exported by the module `M`");
}

#[test]
fn private_modules_stay_inside() {
    let text = "module A\n  module B\n  exports\n    x = 1\n  endmodule\nexports\n  y = B::x\nendmodule\nz = A::B::x";
    one_error(text, "E0219", "A::B::x", &["B"]);
}

#[test]
fn unknown_members_suggest_the_nearest() {
    let text = "module M\nexports\n  value = 1\nendmodule\nz = M::valeu";
    let d = one_error(text, "E0201", "M::valeu", &["M"]);
    assert_eq!(d.notes, ["did you mean `M::value`?"]);
}

#[test]
fn exported_names_are_suggested_for_simple_ones() {
    let text = "module M\nexports\n  value = 1\nendmodule\nz = value";
    let d = one_error(text, "E0201", "value", &[]);
    assert_eq!(d.notes, ["did you mean `M::value`?"]);
}

#[test]
fn modules_are_no_values_and_values_no_modules() {
    one_error(
        "module M\nexports\n  a = 1\nendmodule\nx = M",
        "E0221",
        "M",
        &["M"],
    );
    one_error("a = 1\nx = a::b", "E0221", "a::b", &["a"]);
    one_error("x = M::b", "E0201", "M::b", &[]);
}

#[test]
fn names_are_defined_once_across_the_parts_of_a_module() {
    let text = "module M\n  a = 1\nexports\n  a = 2\nendmodule";
    one_error(text, "E0202", "a", &["a"]);
    one_error(
        "module M(a)\nexports\n  a = 2\nendmodule",
        "E0202",
        "a",
        &["a"],
    );
    one_error("a = 1\nmodule a\nexports\nendmodule", "E0202", "a", &["a"]);
}

#[test]
fn paths_in_patterns_are_constants() {
    let text = "module M\nexports\n  datatype T = A | B.{0,1}\n  x = 3\nendmodule\nf(M::A) = 0\nf(M::B.n) = n + 1\nz = (f(M::A), f(M::B.1))";
    values(text, &[("z", "(0, 2)")]);
    let text = "module M\nexports\n  x = 3\nendmodule\nf(M::x) = 0";
    one_error(text, "E0226", "M::x", &[]);
}

// ------------------------------------------------------------------- parameters and instances

#[test]
fn parameters_are_the_arguments_of_the_instance() {
    let text = "module M(n, f)\n  twice = 2 * n\nexports\n  y = f(twice)\nendmodule\ninc(x) = x + 1\ninstance I = M(3, inc)\ninstance J = M(I::y, \\ x @ x)\nz = (I::y, J::y)";
    values(text, &[("z", "(7, 14)")]);
}

#[test]
fn modules_with_parameters_have_no_names_of_their_own() {
    let text = "module M(n)\nexports\n  y = n\nendmodule\nz = M::y";
    one_error(text, "E0220", "M::y", &["M"]);
}

#[test]
fn instances_of_nested_modules_keep_their_parameters() {
    let text = "module M(x)\nexports\n  module N(y)\n    h = x * y\n  exports\n    g(z) = h + z\n  endmodule\nendmodule\ninstance A = M(5)\ninstance B = M(100)\ninstance C = A::N(7)\ninstance D = B::N(7)\nz = (C::g(1), D::g(1))";
    values(text, &[("z", "(36, 701)")]);
}

#[test]
fn instances_in_modules_with_parameters_are_made_anew() {
    let text = "module In(n)\nexports\n  v = n\nendmodule\nmodule Out(m)\n  instance I = In(m + 1)\nexports\n  w = I::v\nendmodule\ninstance A = Out(1)\ninstance B = Out(2)\nz = (A::w, B::w)";
    values(text, &[("z", "(2, 3)")]);
}

#[test]
fn instances_of_modules_without_parameters_are_copies() {
    let text = "module M\nexports\n  datatype T = A | B\n  channel c : T\nendmodule\ninstance I = M\nz = (card(Events), (I::c.I::A) == (I::c.I::A))\nok = M::c.M::A";
    values(text, &[("z", "(4, true)")]);
    let wrong = format!("{text}\nwrong = M::c.I::A");
    let checked = checked(&wrong);
    assert_eq!(errors(&checked).len(), 1, "{:?}", checked.diagnostics);
}

#[test]
fn each_instance_has_channels_and_types_of_its_own() {
    let text = "module M(S)\nexports\n  datatype T = C.S | D\n  channel c : T\n  P = c?x -> P\nendmodule\ninstance I = M({0, 1})\ninstance J = M({5})\nz = (card(I::T), card(J::T), card({|I::c|}), card(Events))";
    values(
        text,
        &[("z", "(3, 2, 3, 5)"), ("I::T", "{I::C.0, I::C.1, I::D}")],
    );
}

#[test]
fn the_channels_of_a_module_without_instances_are_no_events() {
    let text = "module M(S)\nexports\n  channel c : S\nendmodule\nchannel d\nz = Events";
    values(text, &[("z", "{d}")]);
}

#[test]
fn arguments_are_counted() {
    let text = "module M(a)\nexports\nendmodule\ninstance N = M(0, 1)";
    let d = one_error(text, "E0340", "0, 1", &["M"]);
    assert_eq!(d.label, "2 arguments given here");
}

#[test]
fn instances_follow_their_module() {
    let text = "instance I = M(1)\nmodule M(x)\nexports\nendmodule";
    one_error(text, "E0222", "M", &["M"]);
    let text = "module A(x)\nexports\n  instance P = B(1)\nendmodule\nmodule B(x)\nexports\n  instance P = A(1)\nendmodule\ninstance I = A(1)\ny = I::P";
    let checked = checked(text);
    assert_eq!(errors(&checked)[0].code, "E0222");
}

#[test]
fn a_module_does_not_contain_itself() {
    let text = "module M(x)\nexports\n  instance I = M(x)\nendmodule";
    one_error(text, "E0222", "M", &["M"]);
}

#[test]
fn instances_that_multiply_are_stopped() {
    let mut text = "module M0(x)\nexports\n  y = x\nendmodule\n".to_owned();
    for i in 1..40 {
        let inner = i - 1;
        text += &format!(
            "module M{i}(x)\nexports\n  instance A = M{inner}(x)\n  instance B = M{inner}(x)\nendmodule\n"
        );
    }
    text += "instance I = M39(0)\n";
    let checked = checked(&text);
    assert!(errors(&checked).iter().any(|d| d.code == "E0222"));
}

// --------------------------------------------------------------------------------------- types

#[test]
fn modules_without_instances_are_checked() {
    one_error(
        "module M(x)\nexports\n  y = x + true\nendmodule",
        "E0301",
        "true",
        &[],
    );
    one_error(
        "module M(x)\nexports\n  y = undefined(x)\nendmodule",
        "E0201",
        "undefined",
        &[],
    );
}

#[test]
fn errors_in_a_module_are_reported_once() {
    let text = "module M(x)\nexports\n  y = 1 + true\n  z = nothing\nendmodule\ninstance I = M(1)\ninstance J = M(2)";
    let checked = checked(text);
    let codes: Vec<&str> = errors(&checked).iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E0301", "E0201"]);
}

#[test]
fn a_parameter_has_one_type() {
    let text = "module M(x)\nexports\n  y = x + 1\n  z = length(x)\nendmodule";
    assert_eq!(errors(&checked(text)).len(), 1);
}

#[test]
fn annotations_name_the_types_of_their_module() {
    let text = "module M(x)\nexports\n  datatype T = A | B\n  f :: (T) -> T\n  f(a) = a\nendmodule\ninstance I = M(0)\ninstance J = M(0)\ng :: (I::T) -> I::T\ng(x) = I::f(x)";
    let checked = fine(text);
    assert_eq!(type_of(&checked, "g"), "(I::T) -> I::T");
    assert_eq!(type_of(&checked, "J::f"), "(J::T) -> J::T");
}

#[test]
fn externals_can_be_declared_in_modules() {
    let text = "module X\n  transparent normal\nexports\n  P = normal(STOP)\nendmodule\n";
    fine(text);
    one_error(&format!("{text}Q = normal(STOP)"), "E0212", "normal", &[]);
}

// ------------------------------------------------------------------------------------ symmetry

#[test]
fn datatypes_of_instances_are_symmetric_each_for_itself() {
    let text = "module M(n)\nexports\n  datatype T = A | B | C\n  channel c : T\n  P = c?x -> P\nendmodule\ninstance I = M(0)\ninstance J = M(1)\nQ = I::P ||| J::P ||| J::c.J::A -> STOP\nassert Q :[deadlock free] :[symmetry reduce]: I::T, diff(J::T, {|J::A|})";
    let checked = fine(text);
    let assertion = &checked.script.assertions[0];
    let found = symmetric::of_assertion(&checked.script, &checked.types, assertion, Trust::Nothing);
    let shown: Vec<String> = found.iter().map(|t| t.show(&checked.script)).collect();
    assert_eq!(shown, ["I::T", "diff(J::T, {|J::A|})"]);
    let specs = assertion.symmetry.as_ref().expect("given");
    let names: Vec<&str> = specs
        .iter()
        .map(|s| &*checked.script.types[s.datatype.0 as usize].name)
        .collect();
    assert_eq!(names, ["I::T", "J::T"]);
}

#[test]
fn constructors_named_in_a_module_break_symmetry() {
    let text = "datatype T = A | B | C\nmodule M(x)\nexports\n  f(y) = if x == y then 1 else 2\nendmodule\ninstance I = M(A)\nchannel c : T\nP = c?y -> (if I::f(y) == 1 then STOP else P)\nassert P :[deadlock free]";
    let checked = fine(text);
    let assertion = &checked.script.assertions[0];
    let found = symmetric::of_assertion(&checked.script, &checked.types, assertion, Trust::Nothing);
    assert_eq!(found[0].show(&checked.script), "diff(T, {|A|})");
}

#[test]
fn what_an_instance_contains_depends_on_its_arguments() {
    let text = "datatype S = S1 | S2 | S3\nmodule M(x)\nexports\n  f(y) = y\nendmodule\nmodule N(S1)\nexports\n  f(y) = y\nendmodule\ninstance I = M(S1)\ninstance J = M(0)\ninstance K = N(S1)\nassert I::f :[symmetric]: S\nassert J::f :[symmetric]: S\nassert K::f :[symmetric]: S";
    let checked = fine(text);
    let shown: Vec<String> = checked
        .script
        .assertions
        .iter()
        .map(|a| {
            let found = symmetric::of_assertion(&checked.script, &checked.types, a, Trust::Nothing);
            found[0].show(&checked.script)
        })
        .collect();
    assert_eq!(shown, ["diff(S, {|S1|})", "S", "diff(S, {|S1|})"]);
}

#[test]
fn types_of_instances_reduce_searches_each_by_itself() {
    let text = "module M(n)\nexports\n  datatype T = A | B | C\n  channel c, e : T\n  P = c?x -> e!x -> P\nendmodule\ninstance I = M(0)\ninstance J = M(1)\nassert I::P ||| J::P :[deadlock free]\n";
    let pass = |states| ("pass".to_owned(), states);
    assert_eq!(searched("instances.csp", text, Some(false)), pass(16));
    assert_eq!(searched("instances.csp", text, Some(true)), pass(4));
}
