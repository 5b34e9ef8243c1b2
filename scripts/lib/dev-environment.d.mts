export function devEnvironment(env: NodeJS.ProcessEnv, port: number): NodeJS.ProcessEnv
