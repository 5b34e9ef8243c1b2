import { describe, expect, it } from 'vitest'
import { sliceListAnswer, sliceMembers } from './json-slices.ts'

const slices = (text: string) => sliceListAnswer(Buffer.from(text)).items.map(String)

describe('sliceListAnswer', () => {
  it('returns the items byte for byte, and the total', () => {
    const items = [
      '{"_id":"1","n":9007199254740993,"f":1.50,"e":1e400,"s":"\\u3042\\"]},{"}',
      '{ "nested" : [ { "items" : [1, 2] } ], "a":"\\\\" }',
      '{}',
      '"text, with ] and }"',
      '-0.0',
      'null',
    ]
    const text = `{"skip":0,"x":"items","y":[["items"]],"limit":10,"total":6,"items":[${items.join(' , ')}],"more":{"items":[3]}}`
    expect(slices(text)).toEqual(items)
    expect(sliceListAnswer(Buffer.from(text)).total).toBe(6)
  })

  it('accepts items before the total, an empty list, and line breaks between tokens', () => {
    expect(slices('{"items":[],"total":0}')).toEqual([])
    expect(slices('{\n "items": [\n  {\r\n "a": "b\\nc"\n }\n ],\n "total": 1\n}')).toEqual([
      '{   "a": "b\\nc"  }',
    ])
  })

  const answer = '{"skip":0,"limit":2,"total":2,"items":[{"a":"x\\"y"},{"b":[1,{"c":2}]}]}'
  it('throws for a response truncated at any byte', () => {
    for (let length = 0; length < answer.length; length++) {
      expect(() => sliceListAnswer(Buffer.from(answer.slice(0, length)))).toThrow('strange_answer')
    }
    expect(slices(answer)).toHaveLength(2)
  })

  it('throws for a response that is not a list, and for excessive nesting', () => {
    expect(() => slices('[]')).toThrow('strange_answer')
    expect(() => slices('{"items":{},"total":0}')).toThrow('strange_answer')
    expect(() => slices('<html>')).toThrow('strange_answer')
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expect(() => slices(`{"total":1,"items":[${deep}]}`)).toThrow('strange_answer')
  })
})

describe('sliceMembers', () => {
  it('returns each value byte for byte', () => {
    const text =
      '{ "_id" : "1" ,"n":1.50, "o":{"a":[1, {"n":2}],"b":"}"},\n"q\\"\\u3042":"\\"",  "l":[ ] ,"z":null }'
    const members = [...sliceMembers(Buffer.from(text))].map(([key, value]) => [key, String(value)])
    expect(members).toEqual([
      ['_id', '"1"'],
      ['n', '1.50'],
      ['o', '{"a":[1, {"n":2}],"b":"}"}'],
      ['q"あ', '"\\""'],
      ['l', '[ ]'],
      ['z', 'null'],
    ])
    expect([...sliceMembers(Buffer.from('{}'))]).toEqual([])
  })
})
