//! Contrast, and colours that stay apart, computed.

use super::*;

/// The colour of an index, in the part of the 256 that palettes of terminals leave alone.
fn fixed(n: u8) -> Background {
    let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    match n {
        16..232 => Background(
            level((n - 16) / 36),
            level((n - 16) / 6 % 6),
            level((n - 16) % 6),
        ),
        232.. => Background(8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232)),
        _ => panic!("{n} is one that palettes change"),
    }
}

/// The sixteen colours of xterm and of the console of Linux, as far as themes use them.
fn sixteen(n: u8) -> [Background; 2] {
    let both =
        |a: [u8; 3], b: [u8; 3]| [Background(a[0], a[1], a[2]), Background(b[0], b[1], b[2])];
    match n {
        0 => both([0; 3], [0; 3]),
        7 => both([229; 3], [170; 3]),
        9 => both([255, 0, 0], [255, 85, 85]),
        10 => both([0, 255, 0], [85, 255, 85]),
        11 => both([255, 255, 0], [255, 255, 85]),
        13 => both([255, 0, 255], [255, 85, 255]),
        14 => both([0, 255, 255], [85, 255, 255]),
        _ => panic!("{n} is used"),
    }
}

/// The colours that this one may be.
fn values(colour: Color) -> Vec<Background> {
    match colour {
        Color::Indexed(n @ 16..) => vec![fixed(n)],
        Color::Indexed(n) => sixteen(n).into(),
        Color::Black => sixteen(0).into(),
        Color::Gray => sixteen(7).into(),
        Color::LightGreen => sixteen(10).into(),
        Color::LightYellow => sixteen(11).into(),
        Color::LightMagenta => sixteen(13).into(),
        Color::LightCyan => sixteen(14).into(),
        _ => panic!("{colour:?} is used"),
    }
}

fn contrast(a: Background, b: Background) -> f64 {
    let (a, b) = (a.luminance(), b.luminance());
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Backgrounds that terminals have: xterm, the editor of Microsoft dark and light, Solarized dark and light, Gnome,
/// Nord, Gruvbox, greys; and one that is not known.
const GROUNDS: [Option<Background>; 12] = [
    None,
    Some(Background(0, 0, 0)),
    Some(Background(255, 255, 255)),
    Some(Background(0x1e, 0x1e, 0x1e)),
    Some(Background(0, 0x2b, 0x36)),
    Some(Background(0xfd, 0xf6, 0xe3)),
    Some(Background(0x17, 0x14, 0x21)),
    Some(Background(0x2e, 0x34, 0x40)),
    Some(Background(0x28, 0x28, 0x28)),
    Some(Background(0x80, 0x80, 0x80)),
    Some(Background(0x44, 0x44, 0x44)),
    Some(Background(0xd0, 0xd0, 0xd0)),
];

/// A text of each role can be read on each background, whether the theme paints it or leaves it to the terminal.
#[test]
fn every_role_has_contrast() {
    for palette in [Palette::Dark, Palette::Light, Palette::Ansi] {
        for background in GROUNDS {
            let theme = Theme {
                palette,
                background,
                ascii: false,
            };
            for role in Role::all() {
                let style = theme.ground().patch(theme.style(role));
                let behind = match (style.bg, background) {
                    (Some(painted), _) => values(painted),
                    (None, known) => vec![known.expect("an unknown background is painted")],
                };
                // Without a colour the text is the terminal's, on the terminal's background.
                for text in style.fg.map(values).unwrap_or_default() {
                    for ground in &behind {
                        let found = contrast(text, *ground);
                        let place = format!("{palette:?} {role:?} on {ground:?} of {background:?}");
                        assert!(found >= 4.5, "{place}: {found:.2}");
                    }
                }
                assert!(
                    style.fg.is_some() || style.bg.is_none(),
                    "{palette:?} {role:?}: a text of the terminal's own colour on a painted background"
                );
            }
        }
    }
}

/// A colour as people see it who lack one kind of cones: matrices by Machado, Oliveira and Fernandes (2009) for red,
/// green and blue, and none.
const SEEN: [[[f64; 3]; 3]; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [
        [0.152_286, 1.052_583, -0.204_868],
        [0.114_503, 0.786_281, 0.099_216],
        [-0.003_882, -0.048_116, 1.051_998],
    ],
    [
        [0.367_322, 0.860_646, -0.227_968],
        [0.280_085, 0.672_501, 0.047_413],
        [-0.011_820, 0.042_940, 0.968_881],
    ],
    [
        [1.255_528, -0.076_749, -0.178_779],
        [-0.078_411, 0.930_809, 0.147_602],
        [0.004_733, 0.691_367, 0.303_900],
    ],
];

/// The colour in CIELAB, where distances are about those that people see, after a matrix.
fn lab(colour: Background, seen: [[f64; 3]; 3]) -> [f64; 3] {
    let linear = [
        Background(colour.0, 0, 0).luminance() / 0.2126,
        Background(0, colour.1, 0).luminance() / 0.7152,
        Background(0, 0, colour.2).luminance() / 0.0722,
    ];
    let by = |m: [f64; 3], v: [f64; 3]| m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
    let rgb = seen.map(|row| by(row, linear).clamp(0.0, 1.0));
    let to_xyz = [
        ([0.4124, 0.3576, 0.1805], 0.950_47),
        ([0.2126, 0.7152, 0.0722], 1.0),
        ([0.0193, 0.1192, 0.9505], 1.088_83),
    ];
    let [x, y, z] = to_xyz.map(|(row, white)| match by(row, rgb) / white {
        share if share > 0.008_856 => share.cbrt(),
        share => 7.787 * share + 16.0 / 116.0,
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The colours of values of different types differ for all kinds of colour vision that see more than brightness.
#[test]
fn types_stay_apart_for_everybody() {
    for palette in [Palette::Dark, Palette::Light] {
        let colours = (0..TYPES).map(|kind| values(value_colour(kind, palette))[0]);
        let colours: Vec<Background> = colours.collect();
        for seen in SEEN {
            for (at, a) in colours.iter().enumerate() {
                for b in &colours[at + 1..] {
                    let (a, b) = (lab(*a, seen), lab(*b, seen));
                    let apart: f64 = (0..3).map(|n| (a[n] - b[n]).powi(2)).sum();
                    assert!(apart.sqrt() >= 20.0, "{palette:?}: {a:?} and {b:?}");
                }
            }
        }
    }
}

#[test]
fn roles_look_different() {
    for palette in [Palette::Dark, Palette::Light, Palette::Ansi] {
        let theme = Theme {
            palette,
            ..Theme::default()
        };
        let loud = [
            Role::Changed,
            Role::Choice,
            Role::Ok,
            Role::Fail,
            Role::Focus,
        ];
        let types: Vec<Role> = (0..TYPES).map(Role::Value).collect();
        for list in [&loud[..], &types] {
            for (at, a) in list.iter().enumerate() {
                for b in &list[at + 1..] {
                    assert_ne!(theme.style(*a), theme.style(*b), "{palette:?} {a:?} {b:?}");
                }
            }
        }
    }
}

#[test]
fn themes_have_names() {
    for choice in ThemeChoice::ALL {
        assert_eq!(ThemeChoice::by_name(choice.name()), Some(choice));
    }
    let dark = Some(ThemeChoice::Palette(Palette::Dark));
    assert_eq!(ThemeChoice::by_name("Color_Blind"), dark);
    assert_eq!(ThemeChoice::by_name("darkest"), None);
    assert_eq!(Palette::Mono.next(), Palette::Dark);
}

#[test]
fn a_theme_is_chosen_by_the_terminal() {
    let auto = |background, colours| ThemeChoice::Auto.palette(background, colours);
    assert_eq!(auto(None, 256), Palette::Dark);
    assert_eq!(
        auto(Some(Background(0xfd, 0xf6, 0xe3)), 256),
        Palette::Light
    );
    assert_eq!(auto(Some(Background(0xfd, 0xf6, 0xe3)), 8), Palette::Ansi);
    let chosen = ThemeChoice::Palette(Palette::Dark);
    assert_eq!(
        chosen.palette(Some(Background(255, 255, 255)), 8),
        Palette::Dark
    );
}

#[test]
fn stand_ins_are_ascii_and_one_column_wide() {
    for symbol in ["Ω", "…", "█", "→", "é", "漢"] {
        assert!(stand_in(symbol).is_ascii() && stand_in(symbol).len() == 1);
    }
}
