import Foundation
import Security
import Synchronization

/// Apple's calls about items of file keychains.
///
/// `function` is the name after `SecKeychain`, without `Item`; `path` is the keychain, missing for NULL; `item` is the
/// Nth item that a call returned. Values of attributes are base64.
extension Probe {
    // `@unchecked Sendable`: this program has one thread for it.
    private struct Items: @unchecked Sendable { var all: [SecKeychainItem] = [] }
    private static let items = Mutex(Items())

    private static func keep(_ item: SecKeychainItem?) -> Int? {
        guard let item else { return nil }
        return items.withLock { items in
            items.all.append(item)
            return items.all.count - 1
        }
    }

    /// Makes the call of a command; nil for any other command.
    static func performKeychainItem(_ command: [String: Any]) -> [String: Any]? {
        guard command["call"] as? String == "SecKeychainItem", let function = command["function"] as? String else {
            return nil
        }
        let call = ItemCall(command: command)
        switch function {
        case "AddGeneric", "AddInternet": return added(call, isGeneric: function == "AddGeneric")
        case "FindGeneric", "FindInternet": return found(call, isGeneric: function == "FindGeneric")
        case "Create": return created(call)
        case "FromReference":
            var item: SecKeychainItem?
            let status = SecKeychainItemCopyFromPersistentReference(call.data("reference") as NSData, &item)
            return answer(status, ["item": keep(item)])
        case "Search": return searched(call)
        case "Info": return info(UInt32(command["table"] as? Int ?? 0))
        default:
            let index = command["item"] as? Int ?? 0
            guard let item = items.withLock({ $0.all.indices.contains(index) ? $0.all[index] : nil }) else {
                return ["error": "no such item"]
            }
            return performOn(item, function, call)
        }
    }

    private static func answer(_ status: OSStatus, _ result: [String: Any?]) -> [String: Any] {
        ["status": Int(status), "result": result.compactMapValues { $0 }]
    }

    // MARK: Passwords by name

    private static func added(_ call: ItemCall, isGeneric: Bool) -> [String: Any] {
        var item: SecKeychainItem?
        let (server, domain) = (call.text("server"), call.text("domain"))
        let (account, path) = (call.text("account"), call.text("at"))
        let (service, password) = (call.text("service"), call.text("password"))
        let length = UInt32(call.number("length") ?? password.bytes.count)
        let status =
            isGeneric
            ? SecKeychainAddGenericPassword(
                call.keychain, service.length, service.pointer, account.length, account.pointer, length,
                password.bytes, &item)
            : SecKeychainAddInternetPassword(
                call.keychain, server.length, server.pointer, domain.length, domain.pointer, account.length,
                account.pointer, path.length, path.pointer, UInt16(call.number("port") ?? 0), call.protocolType,
                call.authenticationType, length, password.bytes, &item)
        return answer(status, ["item": keep(item)])
    }

    private static func found(_ call: ItemCall, isGeneric: Bool) -> [String: Any] {
        var (item, length): (SecKeychainItem?, UInt32) = (nil, 4711)
        let (server, domain) = (call.text("server"), call.text("domain"))
        let (account, path) = (call.text("account"), call.text("at"))
        let service = call.text("service")
        let place = call.dataPlace
        defer { place?.deallocate() }
        let status =
            isGeneric
            ? SecKeychainFindGenericPassword(
                call.searched, service.length, service.pointer, account.length, account.pointer, &length, place,
                &item)
            : SecKeychainFindInternetPassword(
                call.searched, server.length, server.pointer, domain.length, domain.pointer, account.length,
                account.pointer, path.length, path.pointer, UInt16(call.number("port") ?? 0), call.protocolType,
                call.authenticationType, &length, place, &item)
        let data = place?.pointee
        let text = data.map { String(decoding: Data(bytes: $0, count: Int(length)), as: UTF8.self) }
        SecKeychainItemFreeContent(nil, data)
        return answer(status, ["item": keep(item), "data": text, "length": Int(length)])
    }

    // MARK: Lists

    private static func created(_ call: ItemCall) -> [String: Any] {
        var (item, access): (SecKeychainItem?, SecAccess?)
        if let descriptor = call.command["access"] as? String {
            SecAccessCreate(descriptor as NSString, NSArray(), &access)
        }
        let itemClass = call.itemClass
        let status = call.withAttributes { list in
            call.withData { length, data in
                SecKeychainItemCreateFromContent(itemClass, list, length, data, call.keychain, access, &item)
            }
        }
        return answer(status, ["item": keep(item)])
    }

    private static func searched(_ call: ItemCall) -> [String: Any] {
        var search: SecKeychainSearch?
        let itemClass = call.itemClass
        let status = call.withAttributes {
            SecKeychainSearchCreateFromAttributes(call.searched, itemClass, $0, &search)
        }
        guard let search else { return ["status": Int(status)] }
        var (indices, item): ([Int], SecKeychainItem?) = ([], nil)
        var last = SecKeychainSearchCopyNext(search, &item)
        while last == errSecSuccess {
            if let index = keep(item) { indices.append(index) }
            last = SecKeychainSearchCopyNext(search, &item)
        }
        return answer(status, ["items": indices, "last": Int(last)])
    }

    private static func info(_ table: UInt32) -> [String: Any] {
        var info: UnsafeMutablePointer<SecKeychainAttributeInfo>?
        let status = SecKeychainAttributeInfoForItemID(nil, table, &info)
        guard let info else { return ["status": Int(status)] }
        defer { SecKeychainFreeAttributeInfo(info) }
        let tags = UnsafeBufferPointer(start: info.pointee.tag, count: Int(info.pointee.count)).map { Int($0) }
        let formats = UnsafeBufferPointer(start: info.pointee.format, count: Int(info.pointee.count)).map { Int($0) }
        return answer(status, ["tags": tags, "formats": formats])
    }

    // MARK: Calls on one item

    private static func performOn(_ item: SecKeychainItem, _ function: String, _ call: ItemCall) -> [String: Any] {
        switch function {
        case "Delete": return answer(SecKeychainItemDelete(item), [:])
        case "CopyKeychain":
            var keychain: SecKeychain?
            return answer(SecKeychainItemCopyKeychain(item, &keychain), ["keychain": keychain?.description])
        case "CopyContent": return content(of: item, call)
        case "CopyAll": return everything(of: item, call)
        case "Modify", "ModifyContent":
            let modify = function == "Modify" ? SecKeychainItemModifyAttributesAndData : SecKeychainItemModifyContent
            let status = call.withAttributes { list in
                call.withData { length, data in modify(item, UnsafePointer(list), length, data) }
            }
            return answer(status, [:])
        case "CopyAccess":
            var (access, acls): (SecAccess?, CFArray?)
            let status = SecKeychainItemCopyAccess(item, &access)
            if let access { SecAccessCopyACLList(access, &acls) }
            return answer(status, ["entries": acls.map { $0.count }])
        case "SetAccess":
            var access: SecAccess?
            SecAccessCreate((call.command["descriptor"] as? String ?? "") as NSString, NSArray(), &access)
            guard let access else { return ["error": "no access object"] }
            return answer(SecKeychainItemSetAccess(item, access), [:])
        case "Reference":
            var reference: CFData?
            let status = SecKeychainItemCreatePersistentReference(item, &reference)
            return answer(status, ["reference": (reference as Data?)?.base64EncodedString()])
        case "Copy":
            var copy: SecKeychainItem?
            return answer(SecKeychainItemCreateCopy(item, call.keychain, nil, &copy), ["item": keep(copy)])
        default: return ["error": "no such call"]
        }
    }

    private static func content(of item: SecKeychainItem, _ call: ItemCall) -> [String: Any] {
        var attributes = call.tags.map { SecKeychainAttribute(tag: $0, length: 0, data: nil) }
        var (length, itemClass): (UInt32, SecItemClass) = (0, .certificateItemClass)
        let place = call.dataPlace
        defer { place?.deallocate() }
        return attributes.withUnsafeMutableBufferPointer { attributes in
            var list = SecKeychainAttributeList(count: UInt32(attributes.count), attr: attributes.baseAddress)
            let status = SecKeychainItemCopyContent(item, &itemClass, &list, &length, place)
            let data = place?.pointee
            let result = values(list).merging(class: itemClass, data, length)
            SecKeychainItemFreeContent(&list, data)
            guard attributes.allSatisfy({ $0.data == nil }) else { return ["error": "something is not freed"] }
            return answer(status, result)
        }
    }

    private static func everything(of item: SecKeychainItem, _ call: ItemCall) -> [String: Any] {
        var info: UnsafeMutablePointer<SecKeychainAttributeInfo>?
        SecKeychainAttributeInfoForItemID(nil, UInt32(call.number("table") ?? 0x8000_0000), &info)
        var (length, itemClass): (UInt32, SecItemClass) = (0, .certificateItemClass)
        var list: UnsafeMutablePointer<SecKeychainAttributeList>?
        let place = call.dataPlace
        defer { place?.deallocate() }
        let status = SecKeychainItemCopyAttributesAndData(item, info, &itemClass, &list, &length, place)
        let data = place?.pointee
        if let info { SecKeychainFreeAttributeInfo(info) }
        let result = (list.map { values($0.pointee) } ?? [:]).merging(class: itemClass, data, length)
        SecKeychainItemFreeAttributesAndData(list, data)
        return answer(status, result)
    }

    private static func values(_ list: SecKeychainAttributeList) -> [String: Any?] {
        var values: [String: Any?] = [:]
        for attribute in UnsafeBufferPointer(start: list.attr, count: Int(list.count)) {
            guard let data = attribute.data else { continue }
            values[attribute.tag.name] = Data(bytes: data, count: Int(attribute.length)).base64EncodedString()
        }
        return values
    }
}

extension [String: Any?] {
    fileprivate func merging(
        class itemClass: SecItemClass, _ data: UnsafeMutableRawPointer?, _ length: UInt32
    ) -> [String: Any?] {
        var result = self
        result["class"] = itemClass.rawValue.name
        result["data"] = data.map { String(decoding: Data(bytes: $0, count: Int(length)), as: UTF8.self) }
        return result
    }
}

extension FourCharCode {
    fileprivate init(_ name: String) { self = name.utf8.reduce(0) { $0 << 8 | FourCharCode($1) } }

    fileprivate var name: String {
        self < 256 ? "\(self)" : String(decoding: withUnsafeBytes(of: bigEndian) { Array($0) }, as: UTF8.self)
    }
}

/// The arguments of a command, in the types of the calls.
private struct ItemCall {
    let command: [String: Any]

    struct Text {
        let bytes: [UInt8]
        let pointer: UnsafePointer<CChar>?
        var length: UInt32 { UInt32(bytes.count) }
    }

    /// A name as bytes and a pointer; the memory is never freed, since this program runs only briefly.
    func text(_ key: String) -> Text {
        guard let text = command[key] as? String else { return Text(bytes: [], pointer: nil) }
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.utf8.count + 1)
        for (index, byte) in text.utf8.enumerated() { copy[index] = CChar(bitPattern: byte) }
        return Text(bytes: Array(text.utf8), pointer: UnsafePointer(copy))
    }

    func number(_ key: String) -> Int? { command[key] as? Int }
    func data(_ key: String) -> Data { (command[key] as? String).flatMap { Data(base64Encoded: $0) } ?? Data() }

    /// A place for data, if the command requests the data.
    var dataPlace: UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
        guard command["data"] as? Bool ?? false else { return nil }
        let place = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)
        place.initialize(to: nil)
        return place
    }

    var tags: [FourCharCode] {
        (command["tags"] as? [Any] ?? []).map { tag in
            (tag as? Int).map { FourCharCode($0) } ?? FourCharCode(tag as? String ?? "")
        }
    }

    var keychain: SecKeychain? { (command["path"] as? String).flatMap { Self.keychain($0) } }

    /// A keychain, an array of keychains, or NULL.
    var searched: CFTypeRef? {
        guard let paths = command["paths"] as? [String] else { return keychain }
        return NSArray(array: paths.compactMap { Self.keychain($0) })
    }

    var itemClass: SecItemClass {
        SecItemClass(rawValue: FourCharCode(command["class"] as? String ?? "genp")) ?? .certificateItemClass
    }

    var protocolType: SecProtocolType {
        SecProtocolType(rawValue: FourCharCode(command["protocol"] as? String ?? "")) ?? .any
    }

    var authenticationType: SecAuthenticationType {
        SecAuthenticationType(rawValue: FourCharCode(command["authentication"] as? String ?? "")) ?? .any
    }

    private static func keychain(_ path: String) -> SecKeychain? {
        var keychain: SecKeychain?
        SecKeychainOpen(path, &keychain)
        return keychain
    }

    /// Calls `body` with the attributes in `attributes`, pairs of tag and base64; null gives a null pointer with length
    /// 5.
    func withAttributes(_ body: (UnsafeMutablePointer<SecKeychainAttributeList>) -> OSStatus) -> OSStatus {
        var attributes: [SecKeychainAttribute] = []
        for (tag, value) in command["attributes"] as? [String: Any] ?? [:] {
            let data = (value as? String).flatMap { Data(base64Encoded: $0) }
            let memory = data.map { data in
                let copy = UnsafeMutableRawPointer.allocate(byteCount: data.count + 1, alignment: 8)
                data.copyBytes(to: copy.assumingMemoryBound(to: UInt8.self), count: data.count)
                return copy
            }
            attributes.append(
                SecKeychainAttribute(tag: FourCharCode(tag), length: UInt32(data?.count ?? 5), data: memory))
        }
        defer { for attribute in attributes { attribute.data?.deallocate() } }
        return attributes.withUnsafeMutableBufferPointer { buffer in
            var list = SecKeychainAttributeList(count: UInt32(buffer.count), attr: buffer.baseAddress)
            return body(&list)
        }
    }

    /// Calls `body` with `password`, or with null and the length in `length`.
    func withData(_ body: (UInt32, UnsafeRawPointer?) -> OSStatus) -> OSStatus {
        guard let text = command["password"] as? String else { return body(UInt32(number("length") ?? 0), nil) }
        return Array((text + "!").utf8).withUnsafeBytes { body(UInt32(text.utf8.count), $0.baseAddress) }
    }
}
