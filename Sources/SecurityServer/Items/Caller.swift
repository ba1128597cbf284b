import CallerIdentity

/// Who asks, as one request sees it.
struct Caller {
    let identity: Identity
    /// The caller's access groups, the default one first.
    let groups: [String]
}
