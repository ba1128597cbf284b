import ChatelaineIPC
import Glibc

/// Checks `XDG_RUNTIME_DIR`, which contains the socket in user mode (XDG Base Directory Specification).
struct RuntimeFolderCheck {
    let environment: ProcessEnvironment
    let deployment: Deployment

    func findings() -> [Finding] {
        let name = "runtime.folder"
        if deployment.mode == .system { return [Finding(name, .ok, "system mode: \(deployment.runtimeFolder)")] }
        if environment.path("CHATELAINE_HOME") != nil {
            return [Finding(name, .ok, "CHATELAINE_HOME is set: \(deployment.runtimeFolder)")]
        }
        let remedy = "log in through a session of systemd-logind, or set it to a folder of your own with mode 700"
        guard let folder = environment.path("XDG_RUNTIME_DIR") else {
            return [
                Finding(
                    name, .degraded,
                    "XDG_RUNTIME_DIR is not set; a daemon that starts now has its socket in \(deployment.runtimeFolder)",
                    remedy: remedy)
            ]
        }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            return [
                Finding(
                    name, .degraded,
                    "XDG_RUNTIME_DIR names no folder (\(folder)); the socket is in \(deployment.runtimeFolder)",
                    remedy: remedy)
            ]
        }
        guard status.st_uid == environment.uid else {
            return [
                Finding(
                    name, .degraded,
                    "XDG_RUNTIME_DIR (\(folder)) is another user\u{2019}s and does not count; the socket is in \(deployment.runtimeFolder)",
                    remedy: "unset it: su keeps it, and su - does not")
            ]
        }
        guard status.st_mode & 0o077 == 0 else {
            return [
                Finding(
                    name, .problem, "XDG_RUNTIME_DIR (\(folder)) is open to other users", remedy: "chmod 700 \(folder)")
            ]
        }
        return [Finding(name, .ok, "XDG_RUNTIME_DIR is \(folder)")]
    }
}
