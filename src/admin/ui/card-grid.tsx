import type { ReactNode } from 'react'
import classes from './card-grid.module.css'

/** A grid of cards, marked up as a list. */
export function CardGrid({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={classes.grid} aria-label={label}>
      {children}
    </ul>
  )
}

interface CardItemProps {
  /** URL of the picture at the top of the card. */
  cover?: string | undefined
  icon: ReactNode
  /** Renders the link that covers the whole card: `(className) => <Link className={className} …>`. */
  title: (className: string) => ReactNode
  description?: ReactNode
  meta?: ReactNode
  menu?: ReactNode
}

/** A card that is covered by one link, except its menu. */
export function CardItem({ cover, icon, title, description, meta, menu }: CardItemProps) {
  return (
    <li>
      <div className={classes.card}>
        {cover && <img className={classes.cover} src={cover} alt="" loading="lazy" />}
        <div className={classes.icon}>{icon}</div>
        <div className={classes.body}>
          <h2 className={classes.title}>{title(classes.link ?? '')}</h2>
          {description && <div className={classes.meta}>{description}</div>}
          {meta && <div className={classes.meta}>{meta}</div>}
        </div>
        {menu && <div className={classes.menu}>{menu}</div>}
      </div>
    </li>
  )
}
