import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Enclave
import EnclaveProtocol
import Foundation

extension Measurements {
    /// The seconds for which look-ups are timed while everything is sealed anew: some hundred thousand look-ups.
    private static let seconds: Int64 = 45

    /// Measures how fast a store is sealed anew, and how that slows look-ups: `chatelaine-bench newkeys COUNT`.
    ///
    /// The store must have `COUNT` items, enough for sealing to take longer than the measurement. Sealing is left
    /// unfinished.
    static func newKeys(_ workload: Workload, _ table: inout Table) throws {
        let suffix = ", \(workload.count) items"
        let idle = try lookUps(workload) { $0 < 50_000 }
        try Daemons.running().stop()
        try replaceKeys()
        // Starts the daemons, and with them the sealing.
        try workload.copySecretOf(0)()
        let start = Samples.now
        let busy = try lookUps(workload) { _ in Samples.now - start < seconds * 1_000_000_000 }
        let elapsed = Double(Samples.now - start) / 1e9
        guard case .text(let text)? = try KeychainClient.shared.status()["store.resealing"],
            let percent = text.split(separator: " ").first.flatMap({ Double($0) })
        else { throw BenchError("everything was sealed anew before the end: take more items") }
        table.add(
            "rows sealed anew in a second" + suffix, table.text(Double(workload.count) * percent / 100 / elapsed),
            target: "")
        for (name, share) in [("median", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
            let (before, now) = (idle.percentile(share), busy.percentile(share))
            table.add(
                "look-up meanwhile, \(name)" + suffix, "\(table.text(now)) µs", floor: "idle: \(table.text(before)) µs",
                ratio: table.text(now / before), target: "")
        }
        if let pss = try Daemons.running().pss {
            table.add("memory of both daemons (Pss)" + suffix, "\(table.text(pss)) MiB", target: "≤ 45 MiB")
        }
    }

    private static func lookUps(_ workload: Workload, while goesOn: (Int) -> Bool) throws -> Samples {
        var samples = Samples()
        var count = 0
        while goesOn(count) {
            // Spreads the look-ups over all items, in no order.
            let call = workload.copySecretOf(count &* 7919 % workload.count)
            try samples.measure { try call() }
            count += 1
        }
        return samples
    }

    /// Gives the keychain new keys: sets a first passcode, and removes it at once so that nothing is locked.
    ///
    /// No daemon may run.
    private static func replaceKeys() throws {
        let folder = try Deployment.current().stateFolder + "/enclave"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/keybags")
        guard let name = names.first(where: { $0.hasSuffix(".keybag") }),
            let uuid = UUID(uuidString: String(name.dropLast(".keybag".count)))?.uuid,
            let place = withUnsafeBytes(of: uuid, { Bytes16($0) })
        else { throw BenchError("there is no keybag in \(folder)") }
        let custodian = Enclave(stateFolder: folder)
        let store = StoreIdentifier(place)
        _ = custodian.answer(OpenStore(store, isEmpty: false))
        for request in [SetPasscode(store), RemovePasscode(.agent, in: store)] as [any EnclavePasscodeRequest] {
            let report = try custodian.answer(request, passcodes: [SecretBytes("passcode".utf8)]).get()
            guard report.outcome == .done else { throw BenchError("the keys are not replaced") }
        }
    }
}
