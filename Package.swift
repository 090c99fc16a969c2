// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target; see docs/architecture.md.
let common: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// The pure modules are also held to strict memory safety: no unsafe construct without the word.
let pure = common + [.strictMemorySafety()]

let package = Package(
    name: "AIModelHost",
    // Of Apple's systems, those that have the Synchronization library; they bind ModelDelivery and ModelCatalog only.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "aimodel-host", targets: ["aimodel-host"]),
        .library(name: "ModelDelivery", targets: ["ModelDelivery"]),
    ],
    targets: [
        // Floor 0: what the system offers, as C sees it.
        .target(name: "CHostLinux"),
        .systemLibrary(
            name: "CHostOpenSSL",
            pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(
            name: "CHostSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),

        // Floor 1: values, and the one wrapper around system calls.
        .target(name: "HTTPWire", swiftSettings: pure),
        .target(name: "ModelCatalog", swiftSettings: pure),
        .target(name: "HostSystem", dependencies: ["CHostLinux", "CHostOpenSSL"], swiftSettings: common),

        // Floor 2: the disk and the sockets.
        .target(name: "ModelStore", dependencies: ["ModelCatalog", "HostSystem"], swiftSettings: common),
        .target(name: "HostTransport", dependencies: ["HTTPWire", "HostSystem"], swiftSettings: common),
        .target(
            name: "HostTelemetry",
            dependencies: ["CHostSQLite", "HostSystem", "ModelCatalog"],
            swiftSettings: common
        ),
        // What an app links. On Linux SHA-256 comes from HostSystem; elsewhere nothing of the server is built for it.
        .target(
            name: "ModelDelivery",
            dependencies: ["ModelCatalog", .target(name: "HostSystem", condition: .when(platforms: [.linux]))],
            swiftSettings: common
        ),

        // Floor 3: what the server does.
        .target(
            name: "HostService",
            dependencies: [
                "HTTPWire", "ModelCatalog", "ModelStore", "HostSystem", "HostTransport", "HostTelemetry",
            ],
            swiftSettings: common
        ),

        // Floor 4: the command line.
        .executableTarget(
            name: "aimodel-host",
            dependencies: [
                "HTTPWire", "ModelCatalog", "ModelStore", "HostSystem", "HostTransport", "HostTelemetry", "HostService",
                "ModelDelivery",
            ],
            swiftSettings: common
        ),

        // Tests mirror the modules.
        .target(
            name: "TestSupport",
            dependencies: [
                "HTTPWire", "ModelCatalog", "ModelStore", "HostSystem", "HostTransport", "HostTelemetry", "HostService",
            ],
            path: "Tests/Support",
            exclude: [
                "cutting_proxy.py", "host.sh", "release_folder.py", "run_scripts.sh", "served_host.py",
                "stage_release.py",
            ],
            swiftSettings: common
        ),
        .testTarget(name: "HTTPWireTests", dependencies: ["HTTPWire"], swiftSettings: common),
        .testTarget(name: "ModelCatalogTests", dependencies: ["ModelCatalog"], swiftSettings: common),
        .testTarget(
            name: "ModelStoreTests",
            dependencies: ["ModelStore", "ModelCatalog", "HostSystem", "TestSupport"],
            swiftSettings: common
        ),
        .testTarget(
            name: "HostTransportTests",
            dependencies: ["HostTransport", "HTTPWire", "HostSystem", "TestSupport"],
            swiftSettings: common
        ),
        .testTarget(
            name: "HostTelemetryTests",
            dependencies: ["HostTelemetry", "ModelCatalog", "HostSystem", "TestSupport"],
            swiftSettings: common
        ),
        .testTarget(
            name: "HostServiceTests",
            dependencies: [
                "HostService", "HostTransport", "HostTelemetry", "HTTPWire", "ModelStore", "ModelCatalog", "HostSystem",
                "TestSupport",
            ],
            swiftSettings: common
        ),
        .testTarget(
            name: "ModelDeliveryTests",
            dependencies: [
                "ModelDelivery", "ModelCatalog", "ModelStore", "HostTelemetry", "HostService", "HostTransport",
                "HostSystem", "TestSupport",
            ],
            swiftSettings: common
        ),
    ],
    swiftLanguageModes: [.v6]
)
