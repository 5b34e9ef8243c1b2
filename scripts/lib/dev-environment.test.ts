import { expect, it } from 'vitest'
import { loadConfig } from '../../src/server/config.ts'
import { devEnvironment } from './dev-environment.mjs'

it('devEnvironment() allows the origins localhost and 127.0.0.1', () => {
  const { url, adminOrigins } = loadConfig(devEnvironment({}, 3000))
  expect(url).toBe('http://localhost:3000')
  expect(adminOrigins).toEqual(expect.arrayContaining([url, 'http://127.0.0.1:3000']))
})

it('devEnvironment() keeps IMORI_URL and IMORI_ADMIN_ORIGINS of the environment', () => {
  const env = { IMORI_URL: 'https://tunnel.example', IMORI_ADMIN_ORIGINS: 'http://10.0.0.5:3000' }
  expect(devEnvironment(env, 3000)).toMatchObject(env)
})
