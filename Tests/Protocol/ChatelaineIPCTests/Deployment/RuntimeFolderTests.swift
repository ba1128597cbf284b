import ChatelaineIPC
import ChatelaineModel
import Foundation
import TestSupport
import Testing

struct RuntimeFolderTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func itIsMadeWithAllAboveIt() throws {
        let path = folder.path + "/a/b//c"
        try RuntimeFolder(path).prepare()
        for made in ["/a", "/a/b", "/a/b/c"] { #expect(mode(folder.path + made) == 0o700) }
        try RuntimeFolder(path).prepare()
    }

    @Test(arguments: [0o701, 0o710, 0o755, 0o777, 0o1777] as [mode_t])
    func foldersOthersCanEnterAreRefused(_ mode: mode_t) {
        let path = folder.path + "/open"
        mkdir(path, 0o700)
        chmod(path, mode)
        let error = #expect(throws: KeychainError.self) { try RuntimeFolder(path).prepare() }
        #expect(error?.status == .notAvailable && error?.reason.contains(path) == true)
    }

    @Test func linksAreRefused() {
        let path = folder.path + "/link"
        mkdir(folder.path + "/real", 0o700)
        symlink(folder.path + "/real", path)
        #expect(throws: KeychainError(.notAvailable, "")) { try RuntimeFolder(path).prepare() }
        symlink("/nowhere/at/all", folder.path + "/dangling")
        #expect(throws: KeychainError(.notAvailable, "")) { try RuntimeFolder(folder.path + "/dangling").prepare() }
    }

    @Test func filesAreRefused() throws {
        let path = folder.path + "/file"
        try Data().write(to: URL(fileURLWithPath: path))
        chmod(path, 0o600)
        #expect(throws: KeychainError(.notAvailable, "")) { try RuntimeFolder(path).prepare() }
        #expect(throws: KeychainError(.notAvailable, "")) { try RuntimeFolder(path + "/below").prepare() }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
    func foldersOfOthersAreRefused() {
        let path = folder.path + "/theirs"
        mkdir(path, 0o700)
        chown(path, 20001, 20001)
        #expect(throws: KeychainError(.notAvailable, "")) { try RuntimeFolder(path).prepare() }
    }
}
