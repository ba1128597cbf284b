import CChatelaine
import Foundation
import Testing

/// Tests of failing disks and folders: the status is clear, no acknowledged change is lost, and a repair needs no
/// restart.
@Suite struct DiskTests {
    private static let notAvailable = -25291
    private static let readOnly = -25292

    /// A probe in a mount namespace that its daemon shares.
    ///
    /// A small disk there holds the data folder, and ends with both processes.
    private func probe(in household: Household, diskKilobytes: Int) throws -> ProbeProcess {
        let data = "\(household.home)/data"
        mkdir(data, 0o700)
        try household.give(data)
        let user = "\(household.uid)"
        let mount = "mount -t tmpfs -o size=\(diskKilobytes)k,mode=700,uid=\(user),gid=\(user) tmpfs '\(data)'"
        let prefix = [
            "unshare", "-m", "--propagation", "private", "sh", "-c",
            "\(mount) && exec setpriv --reuid \(user) --regid \(user) --clear-groups -- \"$@\"", "sh",
        ]
        let probe = try ProbeProcess(try household.application("keeper"), in: household, prefix: prefix, uid: 0)
        // Before the probe answers, the small disk may be missing, and files for it would land on the machine's disk.
        try #require(try probe.call("pid").status == 0)
        return probe
    }

    /// Fills the disk until writing fails, which is the purpose; ends in any case.
    private func fill(_ path: String, besides pid: pid_t) throws {
        _ = try run("sh", "-c", "head -c 64M /dev/zero > '\(path)' 2> /dev/null", besides: pid)
    }

    /// Runs a command in the mount namespace of a process.
    private func run(_ words: String..., besides pid: pid_t) throws -> Int32 {
        try Program(["nsenter", "-m", "-t", "\(pid)"] + words, environment: ["PATH": Program.searchPath])
            .finish()
    }

    @Test func fullDisk() throws {
        guard Privilege.isThere() else { return }
        let household = try Household(uid: Privilege.user(10))
        let probe = try probe(in: household, diskKilobytes: 4096)
        var kept: [String: String] = [:]
        for index in 0..<5 {
            #expect(try probe.add("before \(index)", "secret \(index)") == 0)
            kept["before \(index)"] = "secret \(index)"
        }
        let filler = "\(household.home)/data/filler"
        try fill(filler, besides: probe.pid)
        var refusals = 0
        for index in 0..<40 {
            let secret = String(repeating: "s", count: 20_000)
            let status = try probe.add("while full \(index)", secret)
            if status == 0 {
                kept["while full \(index)"] = secret
            } else {
                #expect(status == Self.notAvailable)
                refusals += 1
            }
        }
        #expect(refusals > 30)
        #expect(try probe.find("before 0").data == Data("secret 0".utf8))
        #expect(try probe.all() == kept)
        // A new daemon starts on the full disk.
        household.dismiss()
        #expect([0, Self.notAvailable].contains(try probe.find("before 0").status))
        #expect(try probe.add("none", String(repeating: "s", count: 20_000)) == Self.notAvailable)
        let daemon = household.daemonPID
        #expect(try run("rm", filler, besides: probe.pid) == 0)
        #expect(try probe.add("after", "all") == 0)
        kept["after"] = "all"
        #expect(try probe.all() == kept)
        #expect(household.daemonPID == daemon)
    }

    @Test func fullDiskFromTheStart() throws {
        guard Privilege.isThere() else { return }
        let household = try Household(uid: Privilege.user(11))
        let probe = try probe(in: household, diskKilobytes: 256)
        let filler = "\(household.home)/data/filler"
        try fill(filler, besides: probe.pid)
        #expect(try probe.add("a", "b") == Self.notAvailable)
        #expect(try probe.find("a").status == Self.notAvailable)
        #expect(try run("rm", filler, besides: probe.pid) == 0)
        #expect(try run("mount", "-o", "remount,size=8m", "\(household.home)/data", besides: probe.pid) == 0)
        #expect(try probe.add("a", "b") == 0)
    }

    @Test func readOnlyFileSystem() throws {
        guard Privilege.isThere() else { return }
        let household = try Household(uid: Privilege.user(12))
        let probe = try probe(in: household, diskKilobytes: 4096)
        #expect(try probe.add("a", "b") == 0)
        household.dismiss()
        let data = "\(household.home)/data"
        #expect(try run("mount", "-o", "remount,ro", data, besides: probe.pid) == 0)
        #expect(try probe.add("c", "d") == Self.readOnly)
        #expect(try probe.update("a", "d") == Self.readOnly)
        #expect(try probe.delete("a") == Self.readOnly)
        #expect([0, Self.readOnly].contains(try probe.find("a").status))
        #expect(try run("mount", "-o", "remount,rw", data, besides: probe.pid) == 0)
        #expect(try probe.add("c", "d") == 0)
        #expect(try probe.all() == ["a": "b", "c": "d"])
    }

    @Test func readOnlyFile() throws {
        guard Privilege.isThere() else { return }
        let household = try Household(uid: Privilege.user(13))
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        household.dismiss()
        let names = try FileManager.default.contentsOfDirectory(atPath: household.store)
        for name in names { chmod("\(household.store)/\(name)", 0o400) }
        #expect(try probe.add("c", "d") == Self.readOnly)
        #expect(try probe.update("a", "d") == Self.readOnly)
        #expect([0, Self.readOnly].contains(try probe.find("a").status))
        for name in names { chmod("\(household.store)/\(name)", 0o600) }
        #expect(try probe.add("c", "d") == 0)
        #expect(try probe.all() == ["a": "b", "c": "d"])
    }

    @Test(arguments: ["data", "data/stores", "data/stores/default"])
    func theDataIsMovedAway(_ folder: String) throws {
        let household = try Household()
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        let path = "\(household.home)/\(folder)"
        try #require(rename(path, "\(household.home)/aside") == 0)
        // A change that could not be found again is not acknowledged.
        #expect(try probe.add("c", "d") == Self.notAvailable)
        #expect(try probe.update("a", "d") == Self.notAvailable)
        #expect(try probe.find("a").status == Self.notAvailable)
        try? FileManager.default.removeItem(atPath: path)
        try #require(rename("\(household.home)/aside", path) == 0)
        #expect(try probe.add("c", "d") == 0)
        #expect(try probe.all() == ["a": "b", "c": "d"])
    }

    @Test func theDataIsRemovedForGood() throws {
        let household = try Household()
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        try FileManager.default.removeItem(atPath: "\(household.home)/data")
        #expect(try probe.add("c", "d") == Self.notAvailable)
        // Without a copy of the data, the person removes the state folder to begin anew. The daemon itself never
        // replaces a lost store.
        try FileManager.default.removeItem(atPath: "\(household.home)/state")
        household.dismiss()
        #expect(try household.probe().add("c", "d") == 0)
    }

    @Test(arguments: [true, false])
    func theKeybagIsLost(isWholeFolderLost: Bool) throws {
        let household = try Household()
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        household.dismiss()
        let state = "\(household.home)/state" + (isWholeFolderLost ? "" : "/enclave")
        let aside = "\(household.home)/aside"
        try #require(rename(state, aside) == 0)
        for _ in 0..<2 {
            #expect(try probe.find("a").status == Self.notAvailable)
            #expect(try probe.add("c", "d") == Self.notAvailable)
        }
        let reason = try #require(try probe.decide("status").dictionary?["store.error"] as? String)
        #expect(reason.contains("keybag") || reason.contains("key"), "\(reason)")
        // After the folder is back, nobody has to restart anything. A daemon may write only to the folder that it
        // opened. If another folder stands there, the daemon ends, and a new one uses that folder.
        let daemon = household.daemonPID
        try? FileManager.default.removeItem(atPath: state)
        try #require(rename(aside, state) == 0)
        #expect(try probe.all() == ["a": "b"])
        #expect((household.daemonPID == daemon) == !isWholeFolderLost)
        #expect(household.daemons.count == 1)
    }

    @Test(arguments: ["run", "data", "data/stores/default", "state", "state/enclave", "state/identity"])
    func aFolderThatOthersMayReach(_ name: String) throws {
        let household = try Household()
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        household.dismiss()
        let folder = "\(household.home)/\(name)"
        // Others may read the folders that only hold our folders.
        let modes: [mode_t] = ["data", "state"].contains(name) ? [0o777, 0o730] : [0o755, 0o777]
        for mode in modes {
            chmod(folder, mode)
            #expect(try probe.add("c", "d") == Self.notAvailable, "mode \(String(mode, radix: 8))")
        }
        chmod(folder, 0o700)
        #expect(try probe.all() == ["a": "b"])
    }

    @Test(arguments: ["", "run", "data", "data/stores/default", "state", "state/enclave", "state/identity"])
    func aFolderOfAnotherUser(_ name: String) throws {
        guard Privilege.isThere() else { return }
        let household = try Household(uid: Privilege.user(14))
        let path = try household.application("keeper")
        let probe = try ProbeProcess(path, in: household)
        #expect(try probe.add("a", "b") == 0)
        household.dismiss()
        let folder = "\(household.home)/\(name)"
        try #require(chown(folder, 0, 0) == 0)
        let status = try probe.add("c", "d")
        #expect(status == Self.notAvailable)
        try #require(chown(folder, household.uid, household.uid) == 0)
        #expect(try probe.all() == ["a": "b"])
    }

    /// `sun_path` has 108 bytes.
    ///
    /// The lengths are the longest that fits, the next ones, and the longest name of a folder.
    @Test(arguments: [73, 74, 75, 255])
    func aSocketPathTooLong(_ length: Int) throws {
        let household = try Household(subfolder: "/" + String(repeating: "x", count: length))
        #expect((household.socketPath.utf8.count >= 108) == (length > 73))
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        household.dismiss()
        #expect(try probe.find("a").data == Data("b".utf8))
    }

    @Test func aStrangersSocket() throws {
        guard Privilege.isThere() else { return }
        let household = try Household(uid: Privilege.user(15))
        let run = "\(household.home)/run"
        mkdir(run, 0o700)
        try household.give(run)
        let socket = chatelaine_unix_socket()
        defer { close(socket) }
        try #require(chatelaine_unix_bind(socket, household.socketPath) == 0 && listen(socket, 5) == 0)
        chmod(household.socketPath, 0o666)
        #expect(try household.probe().add("a", "b") == Self.notAvailable)
        #expect(household.daemons.isEmpty)
        unlink(household.socketPath)
        #expect(try household.probe().add("a", "b") == 0)
    }

    @Test func everythingIsRemoved() throws {
        let household = try Household()
        let path = try household.application("keeper")
        #expect(try ProbeProcess(path, in: household).add("a", "b") == 0)
        for name in ["run", "data", "state"] {
            // The daemon writes its state once more before it ends, so a folder may fill while it is emptied.
            let path = "\(household.home)/\(name)"
            while FileManager.default.fileExists(atPath: path) { try? FileManager.default.removeItem(atPath: path) }
        }
        #expect(try ProbeProcess(path, in: household).add("a", "new") == 0)
        household.dismiss()
        #expect(try ProbeProcess(path, in: household).find("a").data == Data("new".utf8))
    }
}
