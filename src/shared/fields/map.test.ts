import { describe, expect, it } from 'vitest'
import { cpuTime } from '#test/growth.ts'
import { convertValue } from './convert.ts'
import { parseValue } from './document.ts'
import { fieldSchema } from './index.ts'
import { readPlace } from './place.ts'

const make = (settings: object = {}, type = 'MAP') =>
  fieldSchema.parse({ _id: '0'.repeat(24), uid: 'f', name: 'f', type, ...settings })
const read = (value: unknown) => {
  const { value: place, issues } = parseValue(make(), value)
  return place ?? issues[0]?.code
}

describe('the MAP field type', () => {
  it('ignores 900 spaces around a comma, and reads 100 texts of 1,990 spaces in less than a second', {
    tags: ['full'],
  }, () => {
    expect(readPlace(`35°40′${' '.repeat(900)},${' '.repeat(900)}139°46′`)).toEqual(
      readPlace('35°40′ , 139°46′'),
    )
    const reading = () => {
      for (let count = 0; count < 100; count++) readPlace(`1°${' '.repeat(1_990)}x`)
    }
    // A pattern that tries every way to divide the spaces would take minutes.
    expect(cpuTime(reading)).toBeLessThan(1_000)
  })

  it.each([
    [
      { lat: 35.681236, lng: 139.767125 },
      { lat: 35.681236, lng: 139.767125 },
    ],
    [
      { lng: -180, lat: -90 },
      { lat: -90, lng: -180 },
    ],
    [
      { lat: 0.1 + 0.2, lng: 5e-324 },
      { lat: 0.30000000000000004, lng: 5e-324 },
    ],
    [{ lat: 90.0001, lng: 0 }, 'InvalidValue'],
    [{ lat: 0, lng: 180.0001 }, 'InvalidValue'],
    [{ lat: '35', lng: 139 }, 'InvalidType'],
    [{ lat: 35 }, 'InvalidType'],
    [{ lat: 35, lng: 139, zoom: 3 }, 'InvalidType'],
    [[35, 139], 'InvalidType'],
    ['35, 139', 'InvalidFormat'],
    ['', undefined],
    [null, undefined],
  ])('parses the value %j with the result %j', (value, expected) => expect(read(value)).toEqual(expected))

  const tokyo = { lat: 35.681236, lng: 139.767125 }
  it.each([
    ['35.681236, 139.767125', tokyo],
    ['３５．６８１２３６，１３９．７６７１２５', tokyo],
    ['(35.681236 139.767125)', tokyo],
    ['geo:35.681236,139.767125?z=15', tokyo],
    ['https://www.google.com/maps/@35.681236,139.767125,17z', tokyo],
    ['https://www.google.com/maps/place/x/@35.6,139.7,17z/data=!3m1!4b1!4m6!3d35.681236!4d139.767125', tokyo],
    ['https://maps.google.com/?q=35.681236,139.767125', tokyo],
    ['https://www.openstreetmap.org/#map=17/35.681236/139.767125', tokyo],
    ['https://maps.gsi.go.jp/#15/35.681236/139.767125/&base=std', tokyo],
    ['35°40\'52.4496"N 139°46\'1.65"E', tokyo],
    ['35°40′52.4496″N 139°46′1.65″E', tokyo],
    ['北緯35度40分52.4496秒 東経139度46分1.65秒', tokyo],
    ['南緯33度51分 西経70度', { lat: -33.85, lng: -70 }],
    ['-33.85,-70', { lat: -33.85, lng: -70 }],
    ['東京駅', null],
    ['35.681236', null],
    ['91, 0', null],
    ['35.68, 139.76, 12', null],
    ['https://example.com/35.68,139.76', null],
  ])('parses the typed text %s with the result %j', (text, expected) =>
    expect(readPlace(text)).toEqual(expected),
  )

  it('converts a text of only coordinates to a place without loss, and a place to a text', () => {
    const text = make({}, 'TEXT')
    expect(convertValue(text, make(), '35.5, 139.25')).toEqual({
      value: { lat: 35.5, lng: 139.25 },
      lost: null,
    })
    expect(convertValue(text, make(), 'geo:35.5,139.25')).toMatchObject({ lost: 'typeChanged' })
    expect(convertValue(text, make(), '駅前')).toEqual({ value: undefined, lost: 'typeChanged' })
    expect(convertValue(make(), text, { lat: 35.5, lng: 139.25 })).toEqual({
      value: '35.5, 139.25',
      lost: null,
    })
  })
})
