//! Objects with known keys: one definition gives the type, its decoder and its JSON Schema.

use schemars::{Schema, SchemaGenerator, json_schema};

use jsonc_parser::ast::Object;

use super::decoder::{DecodeField, Decoder};

/// A type that [`record!`] defines.
pub(crate) trait Record {
    /// All keys.
    const KEYS: &'static [&'static str];

    /// Reports the errors in the values of those keys that an object has.
    fn check_present(object: &Object<'_>, decoder: &mut Decoder);
}

/// Defines a struct whose fields are the keys of a JSON object.
///
/// A field of type `Spanned<T>` is a required key, one of type `Option<Spanned<T>>` an optional
/// one. Unlisted keys cause a warning. The validating function, if one is named, gets the keys that
/// are present, whether or not their values are valid; the constraints beside it are the part of
/// the same rules that the schema can express. The doc comments become the schema's descriptions.
macro_rules! record {
    (
        $(#[doc = $doc:expr])*
        pub struct $Name:ident is $what:literal
            $(, validated by $validate:path)? $(, constrained by $constraints:path)?
            $(, reporting $reported:path)? {
            $(
                $(#[doc = $field_doc:expr])*
                $key:literal => $field:ident: $Type:ty,
            )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $Name {
            $(
                $(#[doc = $field_doc])*
                pub $field: $Type,
            )*
        }

        impl $crate::config::decode::decoder::Decode for $Name {
            fn decode(
                value: &jsonc_parser::ast::Value<'_>,
                decoder: &mut $crate::config::decode::decoder::Decoder,
            ) -> Option<Self> {
                let object = decoder.object(value, "an object")?;
                $(
                    let $field =
                        <$Type as $crate::config::decode::decoder::DecodeField>::take(object, $key, decoder);
                )*
                decoder.warn_unknown_keys(object, $what, <Self as $crate::config::decode::record::Record>::KEYS, &[$(&$reported)?]);
                $($validate(&$crate::config::decode::decoder::ObjectKeys::of(object), decoder);)?
                Some(Self { $($field: $field?,)* })
            }
        }

        impl $crate::config::decode::record::Record for $Name {
            const KEYS: &'static [&'static str] = &[$($key),*];

            fn check_present(
                object: &jsonc_parser::ast::Object<'_>,
                decoder: &mut $crate::config::decode::decoder::Decoder,
            ) {
                let keys = $crate::config::decode::decoder::ObjectKeys::of(object);
                $(
                    if keys.has($key) {
                        <$Type as $crate::config::decode::decoder::DecodeField>::take(object, $key, decoder);
                    }
                )*
            }
        }

        impl schemars::JsonSchema for $Name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut object = $crate::config::decode::record::ObjectSchema::new(&[$($doc),*]);
                $(
                    object.member::<$Type>(generator, $key, &[$($field_doc),*]);
                )*
                $(object.constrain(&$constraints());)?
                object.finish()
            }
        }
    };
}

/// Defines the words that a string may be: one definition gives the enum, its decoder and its
/// schema.
macro_rules! choice {
    (
        $(#[doc = $doc:expr])*
        pub enum $Name:ident {
            $(
                $(#[doc = $variant_doc:expr])*
                $Variant:ident = $word:literal,
            )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $Name {
            $(
                $(#[doc = $variant_doc])*
                $Variant,
            )*
        }

        impl $Name {
            /// All values.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$Variant),*];

            /// The word in the config file.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$Variant => $word,)*
                }
            }
        }

        impl $crate::config::decode::decoder::Decode for $Name {
            fn decode(
                value: &jsonc_parser::ast::Value<'_>,
                decoder: &mut $crate::config::decode::decoder::Decoder,
            ) -> Option<Self> {
                const WORDS: &[&str] = &[$($word),*];
                let expected = $crate::text::join_with_or(&$crate::text::quoted(WORDS));
                let word = decoder.string(value, &expected)?;
                match word.as_str() {
                    $($word => Some(Self::$Variant),)*
                    _ => {
                        decoder.unknown_word(value, &word, WORDS);
                        None
                    }
                }
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = std::borrow::Cow::<str>::deserialize(deserializer)?;
                match &*word {
                    $($word => Ok(Self::$Variant),)*
                    _ => Err(serde::de::Error::unknown_variant(&word, &[$($word),*])),
                }
            }
        }

        $crate::config::decode::record::inline_schema! {
            $Name => { "type": "string", "enum": [$($word),*] },
        }
    };
}

/// Defines the JSON Schema of a type that is inlined, without a name of its own.
macro_rules! inline_schema {
    ($($Type:ty => $schema:tt,)*) => {$(
        impl schemars::JsonSchema for $Type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Type).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    )*};
}

pub(crate) use {choice, inline_schema, record};

/// The JSON Schema of a [`record!`], member by member.
pub(crate) struct ObjectSchema {
    schema: Schema,
    properties: serde_json::Map<String, serde_json::Value>,
    required: Vec<&'static str>,
}

impl ObjectSchema {
    pub(crate) fn new(doc: &[&str]) -> Self {
        let schema = json_schema!({
            "type": "object",
            "description": running_text(doc),
            "additionalProperties": false,
        });
        Self { schema, properties: serde_json::Map::new(), required: Vec::new() }
    }

    pub(crate) fn member<F: DecodeField>(
        &mut self,
        generator: &mut SchemaGenerator,
        key: &'static str,
        doc: &[&str],
    ) {
        let mut schema = generator.subschema_for::<F::Inner>();
        schema.insert("description".to_owned(), running_text(doc).into());
        self.properties.insert(key.to_owned(), schema.to_value());
        if F::REQUIRED {
            self.required.push(key);
        }
    }

    /// Adds the part of the validated rules that the schema can express.
    pub(crate) fn constrain(&mut self, constraints: &Schema) {
        for (keyword, rule) in constraints.as_object().into_iter().flatten() {
            self.schema.insert(keyword.clone(), rule.clone());
        }
    }

    pub(crate) fn finish(mut self) -> Schema {
        self.schema.insert("properties".to_owned(), self.properties.into());
        if !self.required.is_empty() {
            self.schema.insert("required".to_owned(), self.required.into());
        }
        self.schema
    }
}

/// The lines of a doc comment as running text.
fn running_text(doc: &[&str]) -> String {
    doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}
