import Glibc

/// A connection to the run's own D-Bus, through libdbus, which is loaded at run time so that no build needs it.
final class Bus {
    /// The C functions of libdbus that this class calls.
    private struct Calls {
        typealias Pointer = UnsafeMutableRawPointer

        let newError: @convention(c) (Pointer) -> Void
        let isSet: @convention(c) (Pointer) -> UInt32
        let freeError: @convention(c) (Pointer) -> Void
        let open: @convention(c) (UnsafePointer<CChar>, Pointer) -> Pointer?
        let register: @convention(c) (Pointer, Pointer) -> UInt32
        let setExit: @convention(c) (Pointer, UInt32) -> Void
        let send: @convention(c) (Pointer, Pointer, Int32, Pointer) -> Pointer?

        init(_ library: Library) throws {
            newError = try library.function("dbus_error_init")
            isSet = try library.function("dbus_error_is_set")
            freeError = try library.function("dbus_error_free")
            open = try library.function("dbus_connection_open_private")
            register = try library.function("dbus_bus_register")
            setExit = try library.function("dbus_connection_set_exit_on_disconnect")
            send = try library.function("dbus_connection_send_with_reply_and_block")
        }
    }

    /// More than the size of DBusError: two pointers, bits and a pointer.
    private static let errorSize = 64
    /// The time limit of a call in milliseconds; storing in a large keyring takes seconds.
    private static let timeout: Int32 = 120_000

    private let calls: Calls
    private let connection: UnsafeMutableRawPointer
    let messages: MessageCalls

    init(address: String) throws {
        let library = try Library("libdbus-1.so.3")
        calls = try Calls(library)
        messages = try MessageCalls(library)
        let (calls, error) = (calls, UnsafeMutableRawPointer.allocate(byteCount: Self.errorSize, alignment: 16))
        defer { error.deallocate() }
        calls.newError(error)
        // SAFETY: the error has room for DBusError; the connection is this object's alone and is kept to the end of the
        // run.
        guard let connection = calls.open(address, error) else { throw BenchError("no bus at \(address)") }
        self.connection = connection
        calls.setExit(connection, 0)
        guard calls.register(connection, error) != 0 else { throw BenchError("the bus at \(address) lets nobody in") }
    }

    /// Makes a call and returns its reply; throws where the reply is an error.
    func call(_ call: Message) throws -> Message {
        let error = UnsafeMutableRawPointer.allocate(byteCount: Self.errorSize, alignment: 16)
        defer { error.deallocate() }
        calls.newError(error)
        // SAFETY: DBusError begins with the pointers to its name and its text, both C strings while it is set.
        guard let reply = calls.send(connection, call.pointer, Self.timeout, error) else {
            let text = error.load(fromByteOffset: MemoryLayout<UnsafeRawPointer>.size, as: UnsafePointer<CChar>?.self)
            let reason = text.map { String(cString: $0) } ?? "no answer"
            calls.freeError(error)
            throw BenchError("D-Bus: \(reason)")
        }
        return Message(reply, messages)
    }

    func message(_ destination: String, _ path: String, _ interface: String, _ member: String) throws -> Message {
        guard let message = messages.new(destination, path, interface, member) else { throw BenchError("no memory") }
        return Message(message, messages)
    }

    /// Waits until a program owns the name.
    func awaitOwner(of name: String) throws {
        for _ in 0..<300 {
            let call = try message("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner")
            call.append { $0.string(name) }
            if try self.call(call).read({ $0.boolean() }) { return }
            usleep(100_000)
        }
        throw BenchError("\(name) did not come up")
    }
}
