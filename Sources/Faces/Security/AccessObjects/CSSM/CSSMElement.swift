import ChatelaineModel

/// An element of a CSSM list, copied from the caller's memory.
indirect enum CSSMElement: Hashable {
    case word(Int32)
    case bytes([UInt8])
    case list([CSSMElement])

    /// The remaining number of elements and bytes that one call may read; lists may be circular.
    struct Budget {
        /// A list of applications has six elements for each application.
        var elements = 8 * ACLLimits.applications
        var bytes = ACLLimits.bytes
        /// The deepest nesting. Three levels are enough: a threshold, its subjects, and their contents.
        static let depth = 8

        fileprivate mutating func take(_ bytes: Int) throws(KeychainError) {
            elements -= 1
            guard elements >= 0, bytes <= self.bytes else {
                throw KeychainError(.dataTooLarge, "a subject of an entry has too many elements, or too long ones")
            }
            self.bytes -= bytes
        }
    }

    /// - Throws: `errSecParam` for an element of an unknown type, `errSecDataTooLarge` beyond the budget.
    static func elements(
        of list: CSSM_LIST, _ budget: inout Budget, depth: Int = 0
    ) throws(KeychainError) -> [CSSMElement] {
        guard depth < Budget.depth else {
            throw KeychainError(.dataTooLarge, "a subject of an entry is nested too deep")
        }
        var elements: [CSSMElement] = []
        var next: CSSM_LIST_ELEMENT_PTR? = list.Head
        // SAFETY: the caller says that each pointer is null or leads to an element; how many are followed is bounded.
        while let element = next?.pointee {
            elements.append(try CSSMElement(element, &budget, depth))
            next = element.NextElement
        }
        return elements
    }

    private init(_ element: cssm_list_element, _ budget: inout Budget, _ depth: Int) throws(KeychainError) {
        switch Int(element.ElementType) {
        case CSSM_LIST_ELEMENT_WORDID:
            try budget.take(0)
            self = .word(element.WordID)
        case CSSM_LIST_ELEMENT_DATUM:
            let datum = element.Element.Word
            guard datum.Length >= 0, datum.Length == 0 || datum.Data != nil else { throw Self.noDatum }
            try budget.take(datum.Length)
            // SAFETY: the caller says how many bytes there are.
            self = .bytes([UInt8](UnsafeBufferPointer(start: datum.Data, count: datum.Length)))
        case CSSM_LIST_ELEMENT_SUBLIST:
            try budget.take(0)
            self = .list(try Self.elements(of: element.Element.Sublist, &budget, depth: depth + 1))
        default: throw KeychainError(.param, "an element of a subject is no word, no data and no list")
        }
    }

    private static var noDatum: KeychainError {
        KeychainError(.param, "an element of a subject says that it has data, and where these are is null")
    }

    func encode(to writer: inout CBORWriter) {
        switch self {
        case .word(let word): writer.write(Int64(word))
        case .bytes(let bytes): writer.write(bytes)
        case .list(let elements): Self.encode(elements, to: &writer)
        }
    }

    static func encode(_ elements: [CSSMElement], to writer: inout CBORWriter) {
        writer.writeArray(count: elements.count)
        for element in elements { element.encode(to: &writer) }
    }
}
