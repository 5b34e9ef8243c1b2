import { Link, type LinkProps } from '@tanstack/react-router'
import classes from './page-tabs.module.css'
import scrolling from './scrolling-row.module.css'

interface PageTabsProps {
  /** The common name of these pages, such as アカウント設定. */
  label: string
  pages: { to: NonNullable<LinkProps['to']>; label: string }[]
}

/** Scrolls the current tab into view, because the tabs scroll on narrow screens. */
function showPresent(list: HTMLUListElement | null): void {
  list?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

/** Search parameters do not affect which tab is current. */
const present = { exact: true, includeSearch: false }

/** Tabs that link related pages. */
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
