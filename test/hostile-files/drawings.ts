import { gzipSync } from 'node:zlib'
import { drawing, type HostileFile, svg, text, tooLarge } from './make.ts'

const rect = '<rect width="64" height="32" fill="red"/>'
const laughs = `<!DOCTYPE svg [<!ENTITY a "haha">${'bcdefghij'
  .split('')
  .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghij'[index]};`.repeat(10)}">`)
  .join('')}]>`

/** SVGs with active content, with references to other files or to themselves, too large or damaged. */
export const drawings: HostileFile[] = [
  { name: 'a drawing with a script', ...drawing, bytes: () => svg(`<script>alert(1)</script>${rect}`) },
  {
    name: 'a drawing with event handlers',
    ...drawing,
    bytes: () =>
      svg(`<rect width="9" height="9" onclick="alert(1)"/>`, 'width="64" height="32" onload="alert(1)"'),
  },
  {
    name: 'a drawing with foreign content',
    ...drawing,
    bytes: () =>
      svg(
        `<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:alert(1)"/></foreignObject>${rect}`,
      ),
  },
  {
    name: 'a drawing that uses another file',
    ...drawing,
    bytes: () => svg(`<use xlink:href="http://evil.example/x.svg#a"/>${rect}`),
  },
  {
    name: 'a drawing that uses itself',
    ...drawing,
    bytes: () => svg(`<g id="a"><use href="#a"/><use href="#a"/></g>${rect}`),
  },
  {
    name: 'a drawing with an external entity',
    ...drawing,
    found: 'UnsupportedMediaType',
    made: 'FileIsDamaged',
    bytes: () =>
      text(
        '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        svg('<text y="20">&x;</text>').toString(),
      ),
  },
  {
    name: 'a drawing with exponential entities',
    ...drawing,
    found: 'UnsupportedMediaType',
    bytes: () => text(laughs, svg('<text y="20">&j;</text>').toString()),
    made: 'FileIsDamaged',
  },
  {
    name: 'a drawing with a document type',
    ...drawing,
    bytes: () =>
      text(
        '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">',
        svg(`<!-- x -->${rect}`).toString(),
      ),
  },
  {
    name: 'a drawing with styles of another host',
    ...drawing,
    bytes: () =>
      svg(
        `<style>@import url(http://evil.example/a.css)</style><rect width="9" height="9" style="fill:url(http://evil.example/#a)"/>`,
      ),
  },
  {
    name: 'a drawing with a link and a picture',
    ...drawing,
    bytes: () =>
      svg(
        `<a href="javascript:alert(1)"><rect width="9" height="9"/></a><image href="http://evil.example/a.png" width="9" height="9"/>`,
      ),
  },
  {
    name: 'a drawing with an animated address',
    ...drawing,
    bytes: () => svg(`<a><animate attributeName="href" values="javascript:alert(1)"/>${rect}</a>`),
  },
  {
    name: 'a drawing of a billion pixels',
    ...drawing,
    ...tooLarge,
    bytes: () => svg(rect, 'width="100000" height="100000"'),
  },
  {
    name: 'a drawing of 100,000 levels',
    ...drawing,
    ...tooLarge,
    made: 'FileIsDamaged',
    bytes: () => svg(`${'<g>'.repeat(100_000)}${rect}${'</g>'.repeat(100_000)}`),
  },
  {
    name: 'a drawing without its end',
    ...drawing,
    found: 'FileIsDamaged',
    bytes: () => text('<svg xmlns="http://www.w3.org/2000/svg" width="64" height="32"><g><rect width="9"'),
    made: 'FileIsDamaged',
  },
  {
    name: 'a compressed drawing',
    declared: 'image/svg+xml',
    bytes: () => gzipSync(svg(rect)),
    found: 'UnsupportedMediaType',
    made: 'ok',
  },
]
