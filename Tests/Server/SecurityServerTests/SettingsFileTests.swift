import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// The settings are read and written whatever happens to their file.
@Suite struct SettingsFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/settings" }
    private var file: SettingsFile { SettingsFile(folder: folder.path) }

    init() throws { folder = try TemporaryFolder() }

    private static func settings(_ seconds: UInt32) -> DeviceSettings {
        var settings = DeviceSettings()
        settings.idleTimeout = seconds
        return settings
    }

    @Test func whatIsSetStays() throws {
        #expect(try file.read() == DeviceSettings())
        try file.write(Self.settings(900))
        #expect(try file.read().idleTimeout == 900)
        try file.write(Self.settings(0))
        #expect(try file.read().idleTimeout == 0)
        #expect(TemporaryFolder.names(in: folder.path) == ["settings"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    /// Every later version reads the bytes of version 1.
    @Test func versionOneIsRead() throws {
        let bytes: [UInt8] = [0xA2, 0x00, 0x01, 0x01, 0xA1, 0x00, 0x19, 0x03, 0x84]
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(try file.read().idleTimeout == 900)
        try file.write(Self.settings(900))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))
    }

    @Test func whatIsDamagedIsWrittenAnewAndWhatIsNewerIsNot() throws {
        let damaged: [[UInt8]] = [[], [0xA2, 0x00, 0x01], [0xFF], [UInt8](repeating: 0x20, count: 10_000)]
        for bytes in damaged {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            #expect(cause { _ = try file.read() } == .damage)
        }
        try Data(damaged[1]).write(to: URL(fileURLWithPath: path))
        try file.write(Self.settings(5))
        #expect(try file.read().idleTimeout == 5)
        try Data([0xA2, 0x00, 0x02, 0x01, 0xA0]).write(to: URL(fileURLWithPath: path))
        #expect(cause { _ = try file.read() } == .newerFormat)
        #expect(cause { try file.write(Self.settings(5)) } == .newerFormat)
    }

    @Test func aFullDiskLeavesWhatWasThere() throws {
        try file.write(Self.settings(900))
        var files = FileCalls.system
        files.write = { _, _ throws(Errno) in throw .noSpace }
        #expect(cause { try SettingsFile(folder: folder.path, files: files).write(Self.settings(1)) } == .full)
        #expect(try file.read().idleTimeout == 900)
    }

    private func cause(_ body: () throws -> Void) -> KeychainError.Cause? {
        do { try body() } catch { return (error as? KeychainError)?.cause }
        return nil
    }
}
