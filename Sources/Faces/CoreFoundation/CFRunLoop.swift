import Foundation

/// The run loop of a thread, on which Foundation's `RunLoop` is built.
public final class CFRunLoop: NSObject {
    /// CoreFoundation's own object.
    fileprivate let loop: AnyObject

    fileprivate init(_ loop: AnyObject) { self.loop = loop }

    public override func isEqual(_ object: Any?) -> Bool { (object as? CFRunLoop)?.loop === loop }

    public override var hash: Int { ObjectIdentifier(loop).hashValue }
}

/// A mode of run loops.
public struct CFRunLoopMode: RawRepresentable, Hashable, @unchecked Sendable {
    // PROOF for @unchecked Sendable: the string is a copy that nothing changes.
    public let rawValue: CFString

    public init(rawValue: CFString) { self.rawValue = NSString(string: rawValue as String) }

    public init(_ rawValue: CFString) { self.init(rawValue: rawValue) }

    public static let defaultMode = CFRunLoopMode("kCFRunLoopDefaultMode")
    public static let commonModes = CFRunLoopMode("kCFRunLoopCommonModes")
}

/// Why a run loop returned.
public enum CFRunLoopRunResult: Int32, Sendable {
    /// It has no sources.
    case finished = 1
    /// ``CFRunLoopStop(_:)`` was called.
    case stopped = 2
    /// The time is over.
    case timedOut = 3
    /// A source was handled.
    case handledSource = 4
}

/// Returns the run loop of this thread.
public func CFRunLoopGetCurrent() -> CFRunLoop! { CFRunLoop(RunLoopFunctions.current()) }

/// Returns the run loop of the main thread.
public func CFRunLoopGetMain() -> CFRunLoop! { CFRunLoop(RunLoopFunctions.main()) }

/// Runs this thread's run loop until it is stopped or has no sources.
public func CFRunLoopRun() { RunLoopFunctions.run() }

/// Runs this thread's run loop in a mode for some seconds.
@discardableResult
public func CFRunLoopRunInMode(
    _ mode: CFRunLoopMode!, _ seconds: CFTimeInterval, _ returnAfterSourceHandled: Bool
) -> CFRunLoopRunResult {
    guard let mode else { return .finished }
    let result = RunLoopFunctions.run(mode.rawValue, seconds, returnAfterSourceHandled ? 1 : 0)
    return CFRunLoopRunResult(rawValue: result) ?? .finished
}

/// Ends the innermost call that runs a run loop; any thread may do so.
public func CFRunLoopStop(_ rl: CFRunLoop!) { if let rl { RunLoopFunctions.stop(rl.loop) } }

/// Wakes a run loop that waits; any thread may do so.
public func CFRunLoopWakeUp(_ rl: CFRunLoop!) { if let rl { RunLoopFunctions.wakeUp(rl.loop) } }

/// Foundation's functions of C; `StoredObjects` says why they are declared here.
private enum RunLoopFunctions {
    @_silgen_name("CFRunLoopRun")
    static func run()

    @_silgen_name("CFRunLoopRunInMode")
    static func run(_ mode: NSString, _ seconds: Double, _ returnAfterSourceHandled: UInt8) -> Int32

    @_silgen_name("CFRunLoopStop")
    static func stop(_ loop: AnyObject)

    @_silgen_name("CFRunLoopWakeUp")
    static func wakeUp(_ loop: AnyObject)

    @_silgen_name("CFRunLoopGetCurrent")
    private static func borrowedCurrent() -> UnsafeRawPointer

    @_silgen_name("CFRunLoopGetMain")
    private static func borrowedMain() -> UnsafeRawPointer

    // SAFETY: both functions return an object that the caller does not own, and a thread's loop is as long as the
    // thread.
    static func current() -> AnyObject { Unmanaged<AnyObject>.fromOpaque(borrowedCurrent()).takeUnretainedValue() }

    static func main() -> AnyObject { Unmanaged<AnyObject>.fromOpaque(borrowedMain()).takeUnretainedValue() }
}
