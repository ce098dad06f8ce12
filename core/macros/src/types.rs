//! Types as they were written: what they are for, and their lifetimes.

use syn::visit_mut::{self, VisitMut};
use syn::{GenericArgument, Lifetime, PathArguments, Type, TypeReference};

/// `ty` with every lifetime replaced: by `'static` to name its schema, by `'_` to be inferred in a body.
pub fn with_lifetime(ty: &Type, lifetime: &str) -> Type {
    struct Replace<'l>(&'l str);
    impl VisitMut for Replace<'_> {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            *lifetime = Lifetime::new(self.0, lifetime.span());
        }
        fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
            let at = reference.and_token.spans[0];
            reference.lifetime = Some(Lifetime::new(self.0, at));
            visit_mut::visit_type_mut(self, &mut reference.elem);
        }
    }
    let mut ty = ty.clone();
    Replace(lifetime).visit_type_mut(&mut ty);
    ty
}

/// The name of the type, without path and parameters.
pub fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        Type::Group(group) => last_name(&group.elem),
        Type::Paren(paren) => last_name(&paren.elem),
        _ => None,
    }
}

/// The name of the type, if it is no more than a name.
pub fn only_name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    path.qself.is_none().then(|| path.path.get_ident().map(ToString::to_string)).flatten()
}

/// The first type parameter of the type's last segment.
pub fn parameter(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(parameters) = &path.path.segments.last()?.arguments else {
        return None;
    };
    parameters.args.iter().find_map(|parameter| match parameter {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// The `T` of `Option<T>`.
pub fn in_option(ty: &Type) -> Option<&Type> {
    (last_name(ty)? == "Option").then(|| parameter(ty)).flatten()
}

/// The `T` of `Json<T>`, also within `Result` and `Option`.
pub fn in_json(ty: &Type) -> Option<&Type> {
    match last_name(ty)?.as_str() {
        "Json" => parameter(ty),
        "Result" | "Option" => in_json(parameter(ty)?),
        _ => None,
    }
}

/// Whether the type is `&str`.
pub fn is_str(ty: &Type) -> bool {
    matches!(ty, Type::Reference(r) if r.mutability.is_none() && last_name(&r.elem).as_deref() == Some("str"))
}
