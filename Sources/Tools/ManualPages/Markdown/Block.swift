/// A part of a document.
enum Block: Equatable {
    /// A term and its explanation.
    struct Definition: Equatable {
        var term: [Span]
        var text: [Span]
    }

    /// A heading; level 1 is the title.
    case heading(level: Int, [Span])
    case paragraph([Span])
    case list(isOrdered: Bool, [[Span]])
    case code([String])
    /// Lines without filling; only generated parts have them.
    case lines([[Span]])
    /// A table; the first row has the headings.
    case table([[[Span]]])
    /// Definitions; only generated parts have them.
    case definitions([Definition])
    /// The place of a generated part: `<!-- generated: … -->`.
    case generated(String)
}
