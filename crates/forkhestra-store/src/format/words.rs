//! Sets of words.

/// Defines a set of words that mirrors an enum of the core. Adding a variant there and not here
/// does not compile.
macro_rules! words {
    ($(#[doc = $doc:expr])* $Name:ident { $($Variant:ident),* $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $Name {
            $(
                #[doc = concat!("See [`", stringify!($Variant), "`](forkhestra_core::event::", stringify!($Name), "::", stringify!($Variant), ").")]
                $Variant,
            )*
        }

        impl schemars::JsonSchema for $Name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let description = concat!($($doc),*).trim();
                schemars::json_schema!({
                    "description": description,
                    "type": "string",
                    "enum": [$(Self::$Variant),*],
                })
            }
        }

        impl From<forkhestra_core::event::$Name> for $Name {
            fn from(word: forkhestra_core::event::$Name) -> Self {
                match word {
                    $(forkhestra_core::event::$Name::$Variant => Self::$Variant,)*
                }
            }
        }

        impl From<$Name> for forkhestra_core::event::$Name {
            fn from(word: $Name) -> Self {
                match word {
                    $($Name::$Variant => Self::$Variant,)*
                }
            }
        }
    };
}

pub(super) use words;
