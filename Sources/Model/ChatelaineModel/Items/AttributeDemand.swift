/// The attributes that a search demands, and in which of them case does not count.
package struct AttributeDemand: Sendable {
    package let attributes: AttributeSet
    /// One for each of the attributes, nil where case counts; empty where it does in all of them.
    private let folded: [FoldedText?]

    /// Case counts.
    package init(_ attributes: AttributeSet) {
        self.attributes = attributes
        folded = []
    }

    package init(_ query: ItemQuery) {
        attributes = query.attributes
        // Other classes have names by which certificates and keys are told apart (behaviour/finding.md, 35).
        guard query.ignoresCase, query.itemClass == .genericPassword || query.itemClass == .internetPassword else {
            folded = []
            return
        }
        let schema = AttributeSchema.of(query.itemClass)
        folded = query.attributes.entries.map { entry in
            // Codes of four characters and the like are no text, although they may be given as such.
            guard case .text(let text) = entry.value, schema.kind(of: entry.key) == .blob else { return nil }
            return FoldedText(text)
        }
    }

    /// The text that an attribute has to have but for its case; nil where it has to match as it is.
    package func text(at index: Int) -> FoldedText? { folded.isEmpty ? nil : folded[index] }

    /// Whether all of these attributes have to match as they are, so that a digest of them finds what is demanded.
    package func isExact(_ keys: [AttributeKey]) -> Bool {
        folded.isEmpty || !zip(attributes.entries, folded).contains { $1 != nil && keys.contains($0.key) }
    }

    /// Whether every attribute that is demanded is there with a value that matches.
    package func isSatisfied(by others: AttributeSet) -> Bool {
        attributes.entries.indices.allSatisfy { index in
            let wanted = attributes.entries[index]
            guard let value = others[wanted.key] else { return false }
            if case .text(var text) = value, let folded = self.text(at: index) {
                return text.withUTF8 { folded.matches(UnsafeRawBufferPointer($0)) }
            }
            return value.matches(wanted.value)
        }
    }
}
