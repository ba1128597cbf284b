import Glibc

/// Starts a detached thread with a small stack, for one connection or one task.
package enum Worker {
    /// Frames are on the heap. The deepest calls are in SQLite and the cryptographic library; measured use is below 96
    /// KiB.
    static let stackBytes = 512 * 1024

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a new thread; false where the system has no thread left.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        var thread = pthread_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let box = Unmanaged.passRetained(Body(body))
        // SAFETY: the thread takes over the reference that `passRetained` made; where there is no thread, we do.
        let error = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        if error != 0 { box.release() }
        return error == 0
    }
}
