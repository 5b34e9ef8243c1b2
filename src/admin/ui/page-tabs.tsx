import { Link, type LinkProps } from '@tanstack/react-router'
import classes from './page-tabs.module.css'
import scrolling from './scrolling-row.module.css'

interface PageTabsProps {
  /** What these pages are together: アカウント設定. */
  label: string
  pages: { to: NonNullable<LinkProps['to']>; label: string }[]
}

/** On narrow screens the list scrolls: the present page is not to be out of sight. */
function showPresent(list: HTMLUListElement | null): void {
  list?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

/** Of whatever the page shows of its list. */
const present = { exact: true, includeSearch: false }

/** Pages that belong together, as links above each of them; the present one is marked. */
export function PageTabs({ label, pages }: PageTabsProps) {
  return (
    <nav aria-label={label} className={classes.tabs}>
      <ul ref={showPresent} className={scrolling.row}>
        {pages.map((page) => (
          <li key={page.to}>
            <Link to={page.to} activeOptions={present} className={classes.tab}>
              {page.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
