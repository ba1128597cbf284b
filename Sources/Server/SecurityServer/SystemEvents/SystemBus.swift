import CSystemBus
import ChatelaineSystem
import Glibc

/// A connection to the system bus, in the process that uses it.
///
/// Only ``wait(for:or:milliseconds:)`` waits.
final class SystemBus {
    /// The path is compiled in.
    ///
    /// With a variable, whoever starts the daemon could choose whose messages are believed.
    static let path = "/run/dbus/system_bus_socket"
    static let driver = "org.freedesktop.DBus"

    /// Messages that are handled in one turn, so that securityd and other channels get their turn.
    private static let messagesPerTurn = 64

    private let bus: OpaquePointer

    init() throws(Errno) {
        var bus: OpaquePointer?
        try Self.check(chatelaine_bus_connect(Self.path, &bus))
        guard let bus else { throw .invalid }
        self.bus = bus
    }

    deinit { chatelaine_bus_disconnect(bus) }

    /// Loads the library, while code may still be loaded; false where it is missing.
    static func load() -> Bool { chatelaine_bus_load() == 0 }

    /// Whether the bus has sent its greeting.
    var isReady: Bool { chatelaine_bus_is_ready(bus) > 0 }

    /// Waits, for a limited time, until the bus or another descriptor is ready.
    ///
    /// Returns the indexes of the other descriptors that are ready.
    static func wait(for bus: SystemBus?, or others: [Int32], milliseconds: Int32) -> Set<Int> {
        // SAFETY: as many are read as it is told there are.
        let ready = chatelaine_bus_wait(bus?.bus, others, others.count, milliseconds)
        guard ready > 0 else { return [] }
        return Set(others.indices.filter { ready & CHATELAINE_BUS_OTHER_READY << Int32($0) != 0 })
    }

    /// Passes the present messages to `take`; returns whether there may be more.
    func takeMessages(_ take: (BusMessage) throws(Errno) -> Void) throws(Errno) -> Bool {
        for _ in 0..<Self.messagesPerTurn {
            var message = chatelaine_bus_message()
            guard try Self.check(chatelaine_bus_next(bus, &message)) > 0 else { return false }
            // Some messages are not for this process.
            if let message = BusMessage(message) { try take(message) }
        }
        return true
    }

    /// Calls a method that takes strings; returns the serial number of the call, which its answer repeats.
    ///
    /// - Parameter starts: whether the bus starts the owner of the name, where there is none.
    func call(
        _ member: String, of interface: String, at path: String, to destination: String, _ words: [String] = [],
        starts: Bool = false
    ) throws(Errno) -> UInt64 {
        let copies = words.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        var serial: UInt64 = 0
        // SAFETY: the strings live until the call is over, and there are as many as it is told.
        let pointers = copies.map { UnsafePointer($0) }
        try Self.check(
            chatelaine_bus_call(
                bus, destination, path, interface, member, pointers, pointers.count, starts ? 1 : 0,
                &serial))
        return serial
    }

    @discardableResult
    fileprivate static func check(_ result: Int32) throws(Errno) -> Int32 {
        guard result >= 0 else { throw Errno(-result) }
        return result
    }
}

/// A message of the bus, read piece by piece from its beginning.
///
/// A missing or malformed piece throws `EBADMSG` or a similar error.
final class BusMessage {
    enum Kind: Equatable {
        case signal
        /// The answer to the call with that serial number.
        case answer(UInt64)
        case refusal(UInt64)
    }

    let kind: Kind
    /// The unique name of the sender; empty where the bus does not give it.
    let sender: String
    private let message: chatelaine_bus_message
    private let content: OpaquePointer

    fileprivate init?(_ message: chatelaine_bus_message) {
        guard let content = message.content else { return nil }
        self.content = content
        self.message = message
        kind =
            switch message.kind {
            case CHATELAINE_BUS_ANSWER: .answer(message.serial)
            case CHATELAINE_BUS_REFUSAL: .refusal(message.serial)
            default: .signal
            }
        // SAFETY: a C string or nothing, as long as the content lives. The bus itself gives names, of 255 bytes at the
        // most.
        sender = message.sender.map { String(cString: $0) } ?? ""
    }

    deinit { chatelaine_bus_free(content) }

    // As long as their sender likes; read of those only who are believed. SAFETY, for all: as above.
    var path: String { message.path.map { String(cString: $0) } ?? "" }
    var interface: String { message.interface.map { String(cString: $0) } ?? "" }
    var member: String { message.member.map { String(cString: $0) } ?? "" }
    /// The name of a refusal's error.
    var error: String { message.error.map { String(cString: $0) } ?? "" }

    func text(_ type: Character = "s") throws(Errno) -> String {
        var text: UnsafePointer<CChar>?
        try need(chatelaine_bus_read_text(content, Self.letter(type), &text))
        guard let text else { throw Self.malformed }
        return String(cString: text)
    }

    func flag() throws(Errno) -> Bool {
        var flag: Int32 = 0
        try need(chatelaine_bus_read_flag(content, &flag))
        return flag != 0
    }

    func number32() throws(Errno) -> UInt32 {
        var number: UInt32 = 0
        try need(chatelaine_bus_read_u32(content, &number))
        return number
    }

    func number64() throws(Errno) -> UInt64 {
        var number: UInt64 = 0
        try need(chatelaine_bus_read_u64(content, &number))
        return number
    }

    /// A copy of a descriptor that came with the message.
    func descriptor() throws(Errno) -> Descriptor {
        var number: Int32 = -1
        try need(chatelaine_bus_read_descriptor(content, &number))
        let copy = Descriptor(fcntl(number, F_DUPFD_CLOEXEC, 3))
        guard copy.number >= 0 else { throw .last }
        return copy
    }

    /// Reads the value of a variant, which must have that type.
    func variant<Value>(_ type: String, _ read: () throws(Errno) -> Value) throws(Errno) -> Value {
        try need(chatelaine_bus_enter(content, Self.letter("v"), type))
        let value = try read()
        try SystemBus.check(chatelaine_bus_leave(content))
        return value
    }

    /// Reads a whole structure.
    func structure<Value>(_ types: String, _ read: () throws(Errno) -> Value) throws(Errno) -> Value {
        try need(chatelaine_bus_enter(content, Self.letter("r"), types))
        let value = try read()
        try SystemBus.check(chatelaine_bus_leave(content))
        return value
    }

    /// Reads an array of at most `limit` strings.
    func texts(limit: Int) throws(Errno) -> [String] {
        var texts: [String] = []
        try need(chatelaine_bus_enter(content, Self.letter("a"), "s"))
        var text: UnsafePointer<CChar>?
        while try SystemBus.check(chatelaine_bus_read_text(content, Self.letter("s"), &text)) > 0, let found = text {
            guard texts.count < limit else { throw Self.malformed }
            texts.append(String(cString: found))
        }
        try SystemBus.check(chatelaine_bus_leave(content))
        return texts
    }

    /// Reads an array of structures, each by `read`.
    func structures(_ types: String, _ read: () throws(Errno) -> Void) throws(Errno) {
        try elements("(\(types))", "r", types, read)
    }

    /// Reads a dictionary of properties.
    ///
    /// `read` reads the value of a name that it knows, and says whether it did.
    func properties(_ read: (String) throws(Errno) -> Bool) throws(Errno) {
        try elements("{sv}", "e", "sv") { () throws(Errno) in
            guard try !read(text()) else { return }
            try need(chatelaine_bus_skip(content, "v"))
        }
    }

    private func elements(
        _ type: String, _ container: Character, _ types: String, _ read: () throws(Errno) -> Void
    ) throws(Errno) {
        try need(chatelaine_bus_enter(content, Self.letter("a"), type))
        while try SystemBus.check(chatelaine_bus_enter(content, Self.letter(container), types)) > 0 {
            try read()
            try SystemBus.check(chatelaine_bus_leave(content))
        }
        try SystemBus.check(chatelaine_bus_leave(content))
    }

    private static let malformed = Errno(EBADMSG)

    private static func letter(_ type: Character) -> CChar { CChar(bitPattern: type.asciiValue ?? 0) }

    private func need(_ result: Int32) throws(Errno) {
        guard try SystemBus.check(result) > 0 else { throw Self.malformed }
    }
}
