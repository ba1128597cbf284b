import CChatelaine
import Synchronization

/// An object that each process has for itself: a child made by fork(2) gets another one.
///
/// A fork can happen while a thread holds a lock of the object, and the child does not have that thread. So no lock
/// protects the reference. A child takes no lock of the object that it inherited, and never frees it.
package final class PerProcess<Object: AnyObject & Sendable>: Sendable {
    private final class Owned: Sendable {
        let owner = chatelaine_process()
        let object: Object

        init(_ object: Object) { self.object = object }

        var belongsToThisProcess: Bool { owner == chatelaine_process() }
    }

    private let reference = Atomic<UInt>(0)
    private let make: @Sendable () -> Object
    private let forget: @Sendable (Object) -> Void

    /// - Parameters:
    ///   - forget: called in a child once, with the object that it inherited; it must take no lock.
    ///   - make: makes the object when it is first asked for. Threads that ask at once make several, and all of them
    ///     get one of these.
    package init(
        forget: @escaping @Sendable (Object) -> Void = { _ in }, _ make: @escaping @Sendable () -> Object
    ) {
        (self.forget, self.make) = (forget, make)
    }

    deinit {
        guard let last = UnsafeRawPointer(bitPattern: reference.load(ordering: .acquiring)) else { return }
        // SAFETY: `install` retained this object, and nobody can ask for it any more; who uses it has a reference.
        // One inherited from a parent stays, as ever.
        let owned = Unmanaged<Owned>.fromOpaque(last)
        if owned.takeUnretainedValue().belongsToThisProcess { owned.release() }
    }

    /// The object of this process.
    package var value: Object {
        let address = reference.load(ordering: .acquiring)
        let inherited = Self.owned(at: address)
        if let inherited, inherited.belongsToThisProcess { return inherited.object }
        return install(in: address, inheriting: inherited)
    }

    private func install(in place: UInt, inheriting inherited: Owned?) -> Object {
        let fresh = Unmanaged.passRetained(Owned(make()))
        let (isMine, winner) = reference.compareExchange(
            expected: place, desired: UInt(bitPattern: fresh.toOpaque()), ordering: .acquiringAndReleasing)
        guard isMine else {
            fresh.release()
            return Self.owned(at: winner)?.object ?? value
        }
        if let inherited { forget(inherited.object) }
        return fresh.takeUnretainedValue().object
    }

    private static func owned(at address: UInt) -> Owned? {
        UnsafeRawPointer(bitPattern: address).map {
            // SAFETY: the address is that of an object that `install` retained, and that only `deinit` releases.
            Unmanaged<Owned>.fromOpaque($0).takeUnretainedValue()
        }
    }
}
