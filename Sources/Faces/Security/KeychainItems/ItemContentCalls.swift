import ChatelaineMemory
import ChatelaineModel
import CoreFoundation

/// The `SecKeychainItem` calls about attributes and data, for Swift and for C alike.
package enum ItemContentCalls {
    package typealias List = UnsafeMutablePointer<SecKeychainAttributeList>
    package typealias DataPlace = UnsafeMutablePointer<UnsafeMutableRawPointer?>

    /// Fills a list with the attributes that its tags name, and reads the data if `data` is not nil.
    ///
    /// - Returns: the item's class.
    package static func copy(
        _ item: SecKeychainItem, _ list: List?, _ length: UnsafeMutablePointer<UInt32>?, _ data: DataPlace?
    ) throws(KeychainError) -> SecItemClass {
        try KeychainItemCalls.requireLength(length, for: data)
        let itemClass = item.reference.itemClass
        let tags = if let list { try AttributeLists.tags(list, of: itemClass) } else { [AttributeTag]() }
        var returns: ReturnTypes = []
        // The attributes of a key say which half it is.
        if !tags.isEmpty || itemClass == .key { returns.insert(.attributes) }
        if data != nil { returns.insert(.data) }
        let found = try KeychainItemCalls.find(item, returns)
        let constant = try itemClass == .key ? found.item.keyClassConstant : itemClass.constant
        if let list { try AttributeLists.fill(list, tags, from: found.item.attributes) }
        // The last step: a call that fails leaves no data behind.
        do throws(KeychainError) { try KeychainItemCalls.handOut(found.item.secret, length, data) } catch {
            AttributeLists.free(contentsOf: list)
            throw error
        }
        return constant
    }

    /// Copies the attributes and the data of an item to a list that this call makes.
    ///
    /// - Parameter info: the requested attributes.
    package static func copy(
        _ item: SecKeychainItem, _ info: UnsafePointer<SecKeychainAttributeInfo>?,
        _ place: UnsafeMutablePointer<List?>?, _ length: UnsafeMutablePointer<UInt32>?, _ data: DataPlace?
    ) throws(KeychainError) -> SecItemClass {
        guard let place else { return try copy(item, nil, length, data) }
        let list = try AttributeLists.make(try tags(of: info))
        do throws(KeychainError) {
            let itemClass = try copy(item, list, length, data)
            place.pointee = list
            return itemClass
        } catch {
            AttributeLists.free(list)
            throw error
        }
    }

    private static func tags(of info: UnsafePointer<SecKeychainAttributeInfo>?) throws(KeychainError) -> [UInt32] {
        guard let info, Int(info.pointee.count) <= AttributeSet.maximumCount else {
            throw KeychainError(.param, "nothing says which attributes are wanted, or too many are")
        }
        guard info.pointee.count > 0 else { return [] }
        // SAFETY: a pointer is there; Swift's type requires one, and a C program may have left it null all the same.
        let first = info.pointer(to: \.tag).flatMap { UnsafeRawPointer($0).load(as: UnsafePointer<UInt32>?.self) }
        guard let first else {
            throw KeychainError(.param, "there are tags of attributes, and the pointer to them is null")
        }
        // SAFETY: the caller says how many there are.
        return Array(UnsafeBufferPointer(start: first, count: Int(info.pointee.count)))
    }

    /// Frees the values in a caller's list, and data.
    package static func free(_ list: List?, _ data: UnsafeMutableRawPointer?) {
        AttributeLists.free(contentsOf: list)
        CallerOwnedMemory.free(data)
    }

    /// Frees a list that a call made, and data.
    package static func free(made list: List?, _ data: UnsafeMutableRawPointer?) {
        AttributeLists.free(list)
        CallerOwnedMemory.free(data)
    }

    /// - Parameter data: the new data; nil keeps the current data.
    package static func modify(
        _ item: SecKeychainItem, _ list: UnsafePointer<SecKeychainAttributeList>?, _ length: UInt32,
        _ data: UnsafeRawPointer?
    ) throws(KeychainError) {
        var change = ItemChange()
        change.attributes = try AttributeLists.read(list, of: item.reference.itemClass)
        let secret = try KeychainItemCalls.secret(data, count: length)
        if data != nil { change.secret = secret }
        guard !change.isEmpty else { return }
        try KeychainItemCalls.update(item, change)
    }

    /// - Parameters:
    ///   - code: one of ``SecItemClass``.
    ///   - keychain: nil for the default one.
    package static func create(
        _ code: UInt32, _ list: UnsafePointer<SecKeychainAttributeList>, _ length: UInt32, _ data: UnsafeRawPointer?,
        in keychain: SecKeychain?, _ access: SecAccess?
    ) throws(KeychainError) -> SecKeychainItem {
        var item = NewItem(itemClass: try ItemClass(code: code))
        guard item.itemClass != .key else {
            throw KeychainError(.noSuchClass, "keys are made and imported, and not stored by their attributes")
        }
        item.attributes = try AttributeLists.read(list, of: item.itemClass)
        item.secret = try KeychainItemCalls.secret(data, count: length)
        item.access = access?.object
        return try KeychainItemCalls.add(item, to: keychain)
    }

    // MARK: Which attributes there are

    /// All attributes of a class, by the number that CSSM has for its table, or by ``SecItemClass``.
    package static func info(of table: UInt32) throws(KeychainError) -> UnsafeMutablePointer<SecKeychainAttributeInfo> {
        let itemClass: ItemClass =
            switch table {
            case genericTable: .genericPassword
            case internetTable: .internetPassword
            case SecItemClass.certificateItemClass.rawValue: .certificate
            default: try ItemClass(code: table)
            }
        let all = AttributeTag.all(of: itemClass)
        let tags = CallerOwnedMemory.allocate(UInt32.self, count: all.count)
        let formats = CallerOwnedMemory.allocate(UInt32.self, count: all.count)
        guard let tags, let formats,
            let info = CallerOwnedMemory.allocate(SecKeychainAttributeInfo.self, count: 1)
        else {
            CallerOwnedMemory.free(tags)
            CallerOwnedMemory.free(formats)
            throw KeychainError(.allocate, "there is no memory for the attributes")
        }
        for (index, entry) in all.enumerated() {
            (tags + index).initialize(to: entry.tag)
            (formats + index).initialize(to: entry.format.rawValue)
        }
        info.initialize(to: SecKeychainAttributeInfo(count: UInt32(all.count), tag: tags, format: formats))
        return info
    }

    package static func free(_ info: UnsafeMutablePointer<SecKeychainAttributeInfo>) {
        CallerOwnedMemory.free(info.pointee.tag)
        CallerOwnedMemory.free(info.pointee.format)
        CallerOwnedMemory.free(info)
    }

    /// `CSSM_DL_DB_RECORD_GENERIC_PASSWORD` and `CSSM_DL_DB_RECORD_INTERNET_PASSWORD`.
    private static let genericTable: UInt32 = 0x8000_0000
    private static let internetTable: UInt32 = 0x8000_0001
}

extension ItemClass {
    /// - Throws: `errSecNoSuchClass` for a code that is no class of file keychain items.
    init(code: UInt32) throws(KeychainError) {
        switch SecItemClass(rawValue: code) {
        case .genericPasswordItemClass: self = .genericPassword
        case .internetPasswordItemClass: self = .internetPassword
        case .certificateItemClass: self = .certificate
        case .publicKeyItemClass, .privateKeyItemClass, .symmetricKeyItemClass: self = .key
        default: throw KeychainError(.noSuchClass, "there is no such class of items in file keychains")
        }
    }

    var constant: SecItemClass {
        get throws(KeychainError) {
            switch self {
            case .genericPassword: .genericPasswordItemClass
            case .internetPassword: .internetPasswordItemClass
            case .certificate: .certificateItemClass
            case .key, .identity: throw KeychainError(.noSuchClass, "the item has no class of its own")
            }
        }
    }
}

extension FoundItem {
    /// The class constant of a key, of which its attributes were read.
    fileprivate var keyClassConstant: SecItemClass {
        switch attributes[.keyClass] {
        case .number(KeyHalf.publicKey.rawValue): .publicKeyItemClass
        case .number(KeyHalf.privateKey.rawValue): .privateKeyItemClass
        default: .symmetricKeyItemClass
        }
    }
}
