/// The attributes that a search demands, and those among them whose case does not count.
package struct AttributeDemand: Sendable {
    package let attributes: AttributeSet
    /// One element for each attribute, nil if its case counts; empty if case counts in all of them.
    private let folded: [FoldedText?]

    /// A demand in which case counts.
    package init(_ attributes: AttributeSet) {
        self.attributes = attributes
        folded = []
    }

    package init(_ query: ItemQuery) {
        attributes = query.attributes
        // In other classes, names that differ only in case mean different certificates and keys
        // (behaviour/finding.md, 35).
        guard query.ignoresCase, query.itemClass == .genericPassword || query.itemClass == .internetPassword else {
            folded = []
            return
        }
        let schema = AttributeSchema.of(query.itemClass)
        folded = query.attributes.entries.map { entry in
            // Four-character codes and the like may be given as text, but are not text.
            guard case .text(let text) = entry.value, schema.kind(of: entry.key) == .blob else { return nil }
            return FoldedText(text)
        }
    }

    /// The text that an attribute has to match regardless of case; nil if it has to match exactly.
    package func text(at index: Int) -> FoldedText? { folded.isEmpty ? nil : folded[index] }

    /// Whether all of these attributes have to match exactly, so that a search by their digest finds the item.
    package func isExact(_ keys: [AttributeKey]) -> Bool {
        folded.isEmpty || !zip(attributes.entries, folded).contains { $1 != nil && keys.contains($0.key) }
    }

    /// Whether `others` has every demanded attribute with a value that matches.
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
