import ChatelaineMemory
import ChatelaineModel

/// Reads, fills, makes and frees the attribute lists of the older calls.
package enum AttributeLists {
    /// Reads a list; the result keeps no pointer into it.
    static func read(
        _ list: UnsafePointer<SecKeychainAttributeList>?, of itemClass: ItemClass
    ) throws(KeychainError) -> AttributeSet {
        var attributes = AttributeSet()
        guard let list, list.pointee.count > 0 else { return attributes }
        for entry in try entries(of: list.pointee) {
            let tag = try AttributeTag(entry.tag, of: itemClass)
            guard entry.length == 0 || entry.data != nil else {
                throw KeychainError(.param, "an attribute has a length, and the pointer to its value is null")
            }
            guard Int(entry.length) <= Limits.attributeBytes else {
                throw KeychainError(.dataTooLarge, "attributes take \(Limits.attributeBytes) bytes at most")
            }
            // SAFETY: the caller says how many bytes there are.
            let bytes = UnsafeRawBufferPointer(
                start: entry.length == 0 ? nil : entry.data, count: Int(entry.length))
            attributes[tag.key] = try tag.value(of: bytes)
        }
        return attributes
    }

    /// Reads the tags of the attributes that a list requests.
    static func tags(
        _ list: UnsafePointer<SecKeychainAttributeList>, of itemClass: ItemClass
    ) throws(KeychainError) -> [AttributeTag] {
        var tags: [AttributeTag] = []
        for entry in try entries(of: list.pointee) { tags.append(try AttributeTag(entry.tag, of: itemClass)) }
        return tags
    }

    private static func entries(
        of list: SecKeychainAttributeList
    ) throws(KeychainError) -> UnsafeMutableBufferPointer<SecKeychainAttribute> {
        guard list.count > 0 else { return UnsafeMutableBufferPointer(start: nil, count: 0) }
        guard let attributes = list.attr else {
            throw KeychainError(.param, "a list has attributes, and the pointer to them is null")
        }
        guard Int(list.count) <= AttributeSet.maximumCount else {
            throw KeychainError(.param, "a list names \(AttributeSet.maximumCount) attributes at the most")
        }
        // SAFETY: the caller says how many there are.
        return UnsafeMutableBufferPointer(start: attributes, count: Int(list.count))
    }

    /// Fills a list with values, each in memory of its own; on failure it holds none.
    static func fill(
        _ list: UnsafeMutablePointer<SecKeychainAttributeList>, _ tags: [AttributeTag], from attributes: AttributeSet
    ) throws(KeychainError) {
        let entries = try entries(of: list.pointee)
        for index in entries.indices { (entries[index].length, entries[index].data) = (0, nil) }
        for (index, tag) in tags.enumerated() {
            guard let bytes = tag.bytes(of: attributes[tag.key]) else { continue }
            guard let block = bytes.withUnsafeBytes({ CallerOwnedMemory.copy($0) }) else {
                free(contentsOf: list)
                throw KeychainError(.allocate, "there is no memory for the attributes")
            }
            (entries[index].length, entries[index].data) = (UInt32(bytes.count), block)
        }
    }

    /// An empty list of tags, in memory that ``free(_:)`` frees.
    static func make(_ tags: [UInt32]) throws(KeychainError) -> UnsafeMutablePointer<SecKeychainAttributeList> {
        guard let list = CallerOwnedMemory.allocate(SecKeychainAttributeList.self, count: 1) else { throw noMemory }
        guard let attributes = CallerOwnedMemory.allocate(SecKeychainAttribute.self, count: tags.count) else {
            CallerOwnedMemory.free(list)
            throw noMemory
        }
        for (index, tag) in tags.enumerated() {
            (attributes + index).initialize(to: SecKeychainAttribute(tag: tag, length: 0, data: nil))
        }
        list.initialize(to: SecKeychainAttributeList(count: UInt32(tags.count), attr: attributes))
        return list
    }

    private static var noMemory: KeychainError { KeychainError(.allocate, "there is no memory for the attributes") }

    // MARK: Freeing

    /// Frees the values of a list whose memory is the caller's own.
    package static func free(contentsOf list: UnsafeMutablePointer<SecKeychainAttributeList>?) {
        guard let list, let attributes = list.pointee.attr else { return }
        for index in 0..<Int(list.pointee.count) {
            CallerOwnedMemory.free(attributes[index].data)
            attributes[index].data = nil
        }
    }

    /// Frees a list that a call made.
    package static func free(_ list: UnsafeMutablePointer<SecKeychainAttributeList>?) {
        guard let list else { return }
        free(contentsOf: list)
        CallerOwnedMemory.free(list.pointee.attr)
        CallerOwnedMemory.free(list)
    }
}
