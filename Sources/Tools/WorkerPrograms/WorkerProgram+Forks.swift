import Glibc
import Sandbox
import ServerIPC
import SystemCalls

extension WorkerProgram {
    /// Forks a worker for each order over the channel; returns when the channel ends, or when it is idle.
    ///
    /// The process enters its sandbox first, and each worker a narrower one before it reads a byte of its question. The
    /// process must have one thread, since a fork copies one.
    ///
    /// - Parameters:
    ///   - most: the workers at one time.
    ///   - idle: the milliseconds without an order after which the process is not worth its memory; -1 for no end.
    ///   - prepare: what workers would otherwise repeat; runs before the first fork.
    ///   - limit: what a worker does before its sandbox forbids it; the worker ends where that fails.
    ///   - work: what a worker does, over its own channel.
    package func forkWorkers(
        most: Int, idle: Int32 = -1, preparing prepare: () -> Void = {},
        limiting limit: @escaping () -> Bool = { true },
        _ work: @escaping (_ channel: Int32) -> Void
    ) {
        let confinement = WorkerConfinement(over: Confinement.forkServer().apply())
        prepare()
        var workers = ForkedWorkers(name + "-worker", most: most)
        ForkServer(
            descriptor: Self.channel,
            start: {
                workers.start { channel in
                    guard ResourceLimit.fewDescriptors.apply(), limit() else { return }
                    _ = confinement.apply()
                    work(channel)
                }
            },
            end: { workers.end($0) }, close: { close($0) }, idle: idle
        ).serve()
        workers.endAll()
    }
}
