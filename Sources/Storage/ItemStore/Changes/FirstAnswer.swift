import ChatelaineModel

/// What a change was answered when it was made.
struct FirstAnswer: Sendable {
    let status: Status
    /// The item that an addition made.
    let item: ItemIdentifier?
}
