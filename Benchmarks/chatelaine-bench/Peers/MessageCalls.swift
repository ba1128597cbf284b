/// The functions of libdbus that build and read messages.
struct MessageCalls {
    typealias Pointer = UnsafeMutableRawPointer
    typealias Text = UnsafePointer<CChar>

    let new: @convention(c) (Text, Text, Text, Text) -> Pointer?
    let unref: @convention(c) (Pointer) -> Void
    let beginAppending: @convention(c) (Pointer, Pointer) -> Void
    let append: @convention(c) (Pointer, Int32, UnsafeRawPointer) -> UInt32
    let appendArray: @convention(c) (Pointer, Int32, UnsafeRawPointer, Int32) -> UInt32
    let open: @convention(c) (Pointer, Int32, Text?, Pointer) -> UInt32
    let close: @convention(c) (Pointer, Pointer) -> UInt32
    let beginReading: @convention(c) (Pointer, Pointer) -> UInt32
    let type: @convention(c) (Pointer) -> Int32
    let recurse: @convention(c) (Pointer, Pointer) -> Void
    let basic: @convention(c) (Pointer, Pointer) -> Void
    let array: @convention(c) (Pointer, Pointer, UnsafeMutablePointer<Int32>) -> Void
    let next: @convention(c) (Pointer) -> UInt32

    init(_ library: Library) throws {
        new = try library.function("dbus_message_new_method_call")
        unref = try library.function("dbus_message_unref")
        beginAppending = try library.function("dbus_message_iter_init_append")
        append = try library.function("dbus_message_iter_append_basic")
        appendArray = try library.function("dbus_message_iter_append_fixed_array")
        open = try library.function("dbus_message_iter_open_container")
        close = try library.function("dbus_message_iter_close_container")
        beginReading = try library.function("dbus_message_iter_init")
        type = try library.function("dbus_message_iter_get_arg_type")
        recurse = try library.function("dbus_message_iter_recurse")
        basic = try library.function("dbus_message_iter_get_basic")
        array = try library.function("dbus_message_iter_get_fixed_array")
        next = try library.function("dbus_message_iter_next")
    }
}
