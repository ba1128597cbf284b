/// A part of a document.
enum Block: Equatable {
    /// A term and what is said about it.
    struct Definition: Equatable {
        var term: [Span]
        var text: [Span]
    }

    /// Level 1 is the title.
    case heading(level: Int, [Span])
    case paragraph([Span])
    case list(isOrdered: Bool, [[Span]])
    case code([String])
    /// Each on a line of its own; only generated.
    case lines([[Span]])
    /// The first row holds the headings.
    case table([[[Span]]])
    /// Never in Markdown, only generated.
    case definitions([Definition])
    /// The place of a generated part: `<!-- generated: … -->`.
    case generated(String)
}
