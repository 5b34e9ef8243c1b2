import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import type { PlannedState } from '#shared/contract/move-plans.ts'
import { defaultChoice } from '#shared/publication-states.ts'
import { type StateChoice, withChoices } from './publication-choices.ts'
import { PublicationSection } from './publication-section.tsx'

afterEach(cleanup)

const stateOf = (
  state: PlannedState['state'],
  count: number,
  statement: string,
  examples: string[] = [],
) => ({
  ...{ key: `${state} ${statement}`, state, statement, count, changed: 0, examples },
  choice: defaultChoice(state),
})

const posts = {
  from: 'post',
  name: '記事',
  states: [
    { ...stateOf('published', 3, 'status: published'), changed: 1 },
    stateOf('unknown', 4, 'status: wip', ['い', 'ろ', 'は', 'に', 'ほ']),
    stateOf('archived', 2, 'status: archived'),
    stateOf('trashed', 1, 'deleted: true'),
  ],
}
const pages = { from: 'page', name: 'ページ', states: [stateOf('unknown', 5, '')] }
const shops = { from: 'shop', name: '店', states: [stateOf('unknown', 6, '')] }

interface PlanProps {
  initial: (typeof posts)[]
  readOnly: boolean
  onChange: (choices: StateChoice[]) => void
}

/** Shows the section and applies its changes. */
function Plan({ initial, readOnly, onChange }: PlanProps) {
  const [models, setModels] = useState(initial)
  return (
    <PublicationSection
      models={models}
      readOnly={readOnly}
      onChange={(choices) => {
        onChange(choices)
        setModels(withChoices(models, choices))
      }}
    />
  )
}

/** Renders the section, and returns its changes. */
async function renderSection(initial: (typeof posts)[], readOnly = false) {
  const seen: StateChoice[][] = []
  await renderInAdmin(<Plan initial={initial} readOnly={readOnly} onChange={(one) => seen.push(one)} />)
  return seen
}

const totals = () => screen.getByRole('status').textContent
const row = (statement: string) => within(screen.getByText(statement).closest('li') as HTMLElement)

it('PublicationSection shows the statement of the source for a state, and a reason or examples', async () => {
  await renderSection([posts, pages])
  expect(row('status: archived').getByText('移行元では公開が終わっています。')).toBeTruthy()
  expect(row('status: published').getByText(/うち1件には、公開後に編集した下書き/)).toBeTruthy()
  const unknown = row('status: wip')
  expect(unknown.getByText('不明')).toBeTruthy()
  expect(unknown.getByText(/^例：/).textContent).toBe('例：「い」 「ろ」 「は」ほかの例（2件）「に」 「ほ」')
  expect(row('移行元に記載なし').getByText('5件')).toBeTruthy()
})

it('PublicationSection shows a specific reason for a missing statement, and for statements of the source that have one', async () => {
  const states = [
    stateOf('draft', 1, 'version > publishedVersion'),
    stateOf('hidden', 1, 'link: ?post_type='),
    stateOf('hidden', 1, 'private.'),
    stateOf('draft', 1, 'versions.rSpring.'),
    stateOf('unknown', 1, ''),
  ]
  await renderSection([{ from: 'post', name: '記事', states }])
  expect(row('version > publishedVersion').getByText(/書き出されているのは編集後の内容だけ/)).toBeTruthy()
  expect(row('link: ?post_type=').getByText(/ページのない投稿タイプ/)).toBeTruthy()
  expect(row('private.').getByText(/トークンがないと読み取れません/)).toBeTruthy()
  expect(row('versions.rSpring.').getByText(/リリースの中だけに/)).toBeTruthy()
  expect(row('移行元に記載なし').getByText(/「公開する」を選んでください/)).toBeTruthy()
})

it('PublicationSection updates the totals, and warns when contents of unknown state are to be published', async () => {
  const seen = await renderSection([posts])
  expect(totals()).toBe('公開する3下書きにする6取り込まない1')
  expect(screen.queryByText(/サイトから読み取れる/)).toBeNull()
  fireEvent.click(row('status: wip').getByRole('radio', { name: '公開する' }))
  expect(seen).toEqual([[{ from: 'post', key: 'unknown status: wip', choice: 'publish' }]])
  expect(totals()).toBe('公開する7下書きにする2取り込まない1')
  const group = row('status: wip').getByRole('radiogroup', {
    name: '「記事」の「不明、status: wip」をどうするか',
  })
  const warning = document.getElementById(group.getAttribute('aria-describedby') ?? '')
  expect(warning?.textContent).toMatch(/^4件が、サイトから読み取れるようになります。/)
})

it('the checkbox of PublicationSection changes the choice for contents without a statement only', async () => {
  const seen = await renderSection([posts, pages, shops])
  const all = screen.getByRole('checkbox', { name: /記載がないコンテンツを、すべて公開する/ })
  fireEvent.click(all)
  expect(totals()).toBe('公開する14下書きにする6取り込まない1')
  fireEvent.click(all)
  expect(totals()).toBe('公開する3下書きにする17取り込まない1')
  expect(seen.flat().map(({ from, choice }) => `${from} ${choice}`)).toEqual([
    ...['page publish', 'shop publish', 'page draft', 'shop draft'],
  ])
})

it('PublicationSection disables the radio buttons and the checkbox if it is read-only', async () => {
  await renderSection([posts, pages, shops], true)
  const controls = [...screen.getAllByRole('radio'), screen.getByRole('checkbox')] as HTMLInputElement[]
  expect(controls.every(({ disabled }) => disabled)).toBe(true)
})

it('PublicationSection shows the planned publication time next to an example of scheduled contents', async () => {
  const examples = ['春 (2027-01-10T00:00:00.000Z)', '夏 (予定)']
  await renderSection([{ ...posts, states: [stateOf('scheduled', 2, 'publishAt', examples)] }])
  expect(row('publishAt').getByText(/^例：/).textContent).toBe('例：「春（2027/01/10 9:00）」 「夏 (予定)」')
})
